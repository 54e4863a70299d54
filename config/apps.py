from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """The composition root, an app for the sake of its commands."""

    name = "config"
