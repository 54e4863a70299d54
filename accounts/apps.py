from django.apps import AppConfig

from accounts.api import schema  # registers itself with drf-spectacular

__all__ = ["schema"]


class AccountsConfig(AppConfig):
    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
