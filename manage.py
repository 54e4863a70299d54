#!/usr/bin/env python
"""The command line. A command finds the embedded services it needs running, or starts them."""

import os
import sys

from django.core.management import execute_from_command_line

from config import env
from config.embedded.embedder import ensure_embedder
from config.embedded.postgres import ensure_postgres

WITHOUT_SERVICES = {"help", "compilemessages", "makemessages", "version", "--help", "--version", "parse"}
WITH_EMBEDDER = {"ingest", "search", "ask", "bench", "lab"}

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if len(sys.argv) > 1 and sys.argv[1] not in WITHOUT_SERVICES and not env.secret("DATABASE_URL"):
        ensure_postgres(env.home(env.BASE_DIR / "var"))
    if len(sys.argv) > 1 and sys.argv[1] in WITH_EMBEDDER and not env.text("CITEWELL_EMBEDDING_URL"):
        ensure_embedder(env.home(env.BASE_DIR / "var"))
    execute_from_command_line(sys.argv)
