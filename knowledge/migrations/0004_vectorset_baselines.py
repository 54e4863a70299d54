from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0003_doomed_files")]

    operations = [
        migrations.AddField(
            model_name="vectorset",
            name="baselines",
            field=models.JSONField(default=dict),
        ),
    ]
