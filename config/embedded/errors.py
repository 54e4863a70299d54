"""What an embedded service raises."""

from __future__ import annotations


class ServiceDown(RuntimeError):
    """A service could not be started, reached or stopped. The message says what to look at."""
