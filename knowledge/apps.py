from django.apps import AppConfig

from accounts.messages import register
from knowledge.messages import SENTENCES


class KnowledgeConfig(AppConfig):
    name = "knowledge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register(SENTENCES)
