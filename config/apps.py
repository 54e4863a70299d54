from django.apps import AppConfig

from config.queue import set_broker


class ConfigConfig(AppConfig):
    """The composition root, an app for the sake of its commands."""

    name = "config"

    def ready(self) -> None:
        set_broker()
