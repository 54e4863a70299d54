from __future__ import annotations

import uuid

import django.db.models.deletion
from django.db import migrations, models

from accounts.walls import wall


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_wall"), ("knowledge", "0002_wall")]

    operations = [
        migrations.CreateModel(
            name="DoomedFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("key", models.CharField(max_length=200)),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
                    ),
                ),
            ],
            options={"abstract": False, "base_manager_name": "objects"},
        ),
        *wall("knowledge_doomedfile"),
    ]
