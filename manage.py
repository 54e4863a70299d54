#!/usr/bin/env python
"""The command line. A command finds the embedded services it needs running, or starts them."""

import os
import sys

from django.core.management import execute_from_command_line

from config import env
from config.embedded.postgres import ensure_postgres

WITHOUT_SERVICES = {"help", "compilemessages", "makemessages", "version", "--help", "--version", "parse"}

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if len(sys.argv) > 1 and sys.argv[1] not in WITHOUT_SERVICES and not env.secret("DATABASE_URL"):
        ensure_postgres(env.home(env.BASE_DIR / "var"))
    execute_from_command_line(sys.argv)
