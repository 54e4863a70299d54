"""The services that come with the platform: found or started by any command, left running, stopped by name."""
