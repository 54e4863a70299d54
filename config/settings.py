"""Every setting, from the environment, with a default that works on a fresh machine."""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import unquote, urlsplit

from csp.constants import NONE, SELF

from accounts.scope import forget_tenant
from config import env
from config.embedded.embedder import embedder_address
from config.embedded.files import secret
from config.embedded.postgres import postgres_address
from config.home import open_home

BASE_DIR = env.BASE_DIR
TESTING = "pytest" in sys.modules
DATA_FOLDER = env.text(
    "CITEWELL_DATA", str(BASE_DIR.parent / "shared" / "data")
)  # evaluation data, for benches
DEMO_TENANT = "demo"
HOME = open_home(env.home(BASE_DIR / "var") / ("test" if TESTING else "")).root

DEBUG = env.flag("CITEWELL_DEBUG", False)
ALLOWED_HOSTS = env.words("CITEWELL_HOSTS", ("127.0.0.1", "localhost", "[::1]", "testserver"))
CSRF_TRUSTED_ORIGINS = env.words("CITEWELL_ORIGINS")
PUBLIC_URL = env.text("CITEWELL_PUBLIC_URL")
SECRET_KEY = env.secret("CITEWELL_SECRET_KEY") or secret(HOME / "secrets" / "django")
MASTER_KEYS = env.secret("CITEWELL_MASTER_KEYS")
MASTER_KEY_FILE = env.text("CITEWELL_MASTER_KEY_FILE", str(HOME / "secrets" / "master.keys"))

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "guardian",
    "csp",
    "dramatiq_postgres.django",
    "accounts",
    "knowledge",
    "agents",
    "config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.TenantMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.context.here",
            ],
        },
    },
]


def _database(url: str) -> dict[str, Any]:
    """A Django database from `postgresql://user:password@host:port/name`."""
    parts = urlsplit(url)
    return {
        "ENGINE": "accounts.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or 5432),
        "DISABLE_SERVER_SIDE_CURSORS": True,
    }


# Two roles: the application's has no ownership, so row-level security holds for it; the owner's migrates.
IS_EMBEDDED = not env.secret("DATABASE_URL")


def _urls() -> tuple[str, str]:
    """Of the application's role and the owner's: configured, or those of the embedded server."""
    app = env.secret("DATABASE_URL")
    if app:
        return app, env.secret("DATABASE_OWNER_URL") or app
    server = postgres_address(HOME)
    return server.url(server.app), server.url(server.owner)


DATABASES: dict[str, dict[str, Any]] = dict(zip(("default", "owner"), map(_database, _urls()), strict=True))
DATABASES["default"]["OPTIONS"] = {
    # A filtered index scan goes on until it has its rows; 100 candidates give a recall of 0.998 on clustered vectors.
    "options": "-c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search=100",
    "pool": False
    if TESTING
    else {
        "min_size": 1,
        "max_size": env.number("CITEWELL_DB_POOL", 24),
        "timeout": 15,
        "reset": forget_tenant,
    },
}
DATABASES["owner"]["TEST"] = {"NAME": "test_citewell" + env.text("CITEWELL_TEST_SUFFIX"), "DEPENDENCIES": []}
DATABASES["default"]["TEST"] = {"MIRROR": "owner"}

DRAMATIQ_BROKER = {
    "OPTIONS": {
        "results": False,
        "heartbeat_interval": 3.0,
        "heartbeat_ttl": 12.0,  # seconds after which what a killed worker had taken is handed out again
        "maintenance_interval": 4.0,
        "purge_maxage": "1 day",  # ticks say nothing afterwards
    },
    "DATABASE_ALIAS": "default",
}
QUEUE_URL = env.secret("QUEUE_URL")  # redis://... ; empty: the queue lives in the database

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
if TESTING:
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "home"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("CITEWELL_HTTPS", False)
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

SILENCED_SYSTEM_CHECKS = [
    "guardian.W001",  # its backend is not hooked: accounts/permissions.py is the one policy
]
# guardian: grants on spaces and agents alone, through one policy (accounts/permissions.py)
ANONYMOUS_USER_NAME = None
GUARDIAN_MONKEY_PATCH_USER = False
GUARDIAN_MONKEY_PATCH_GROUP = False

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ko", "한국어")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = env.text("CITEWELL_TIME_ZONE", "UTC")

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = HOME / "static"
STATIC_ROOT.mkdir(exist_ok=True)
WHITENOISE_USE_FINDERS = True  # no collectstatic on a fresh machine
WHITENOISE_AUTOREFRESH = False

# Uploads never touch the disk unencrypted: they are read in memory, within the limit, and sealed.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
MAX_UPLOAD_BYTES = env.number("CITEWELL_MAX_UPLOAD_BYTES", 64 * 1024 * 1024)
FILE_UPLOAD_MAX_MEMORY_SIZE = MAX_UPLOAD_BYTES + 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 50
FILES_ROOT = HOME / "files"

MAX_PAGES = env.number("CITEWELL_MAX_PAGES", 3000)
PARSE_SECONDS = env.number("CITEWELL_PARSE_SECONDS", 180)
PARSE_MEMORY_BYTES = env.number("CITEWELL_PARSE_MEMORY_BYTES", 2 * 1024**3)
EXACT_SCAN_ROWS = env.number("CITEWELL_EXACT_SCAN_ROWS", 20_000)  # above, a space gets its own HNSW index
JOB_LEASE_SECONDS = env.number("CITEWELL_JOB_LEASE_SECONDS", 60)
JOB_ATTEMPTS = env.number("CITEWELL_JOB_ATTEMPTS", 6)
JOB_PAUSE_SECONDS = env.number("CITEWELL_JOB_PAUSE_SECONDS", 5)  # doubled at each further attempt

EMBEDDING_URL = env.text("CITEWELL_EMBEDDING_URL")  # OpenAI-compatible; empty: the bundled model
EMBEDDER = embedder_address(HOME)  # socket and token of the bundled model's process
EMBEDDING_MODEL = env.text("CITEWELL_EMBEDDING_MODEL", "multilingual-e5-small")
EMBEDDING_KEY = env.secret("CITEWELL_EMBEDDING_KEY")
EMBEDDING_QUERY_PREFIX = env.text("CITEWELL_EMBEDDING_QUERY_PREFIX")
EMBEDDING_PASSAGE_PREFIX = env.text("CITEWELL_EMBEDDING_PASSAGE_PREFIX")
EMBEDDING_SECONDS = env.number("CITEWELL_EMBEDDING_SECONDS", 60)  # that a batch of passages may take
CHAT_URL = env.text("CITEWELL_CHAT_URL")  # default of new agents; empty: extractive
CHAT_MODEL = env.text("CITEWELL_CHAT_MODEL")
CHAT_KEY = env.secret("CITEWELL_CHAT_KEY")
ANSWER_THREADS = env.number("CITEWELL_ANSWER_THREADS", 8)

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.api.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.api.authentication.HasKey"],
    "DEFAULT_PARSER_CLASSES": [
        "rest_framework.parsers.JSONParser"
    ],  # in forms what is left out reads as false
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "accounts.api.schema.DoorSchema",
    "EXCEPTION_HANDLER": "accounts.api.problems.handle",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Citewell",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.0",
    "DESCRIPTION": "Answers held by passages that can be opened.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "AnswerStatus": "agents.api.serializers.STATUSES",
        "DocumentStatus": "knowledge.api.serializers.STATUSES",
        "MemberRole": "accounts.api.serializers.ROLES",
    },
}

# Logs carry ids and codes, never words of a document: no request lines, no SQL, no arguments.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"citewell": {"level": "INFO"}, "httpx": {"level": "WARNING"}, "openai": {"level": "WARNING"}},
}
