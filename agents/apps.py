from django.apps import AppConfig

from accounts.messages import register
from agents.messages import SENTENCES


class AgentsConfig(AppConfig):
    name = "agents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register(SENTENCES)
