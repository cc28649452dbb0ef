"""Settings of the site: one file, every value from the environment, a safe default or a loud failure.

The embedded default (no DATABASE_URL) keeps its secret key, SQLite database and stored files under KI_DATA (./var).
docs/operating.md lists the variables of a production site.
"""

import os
import secrets
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent


def env_bool(name: str, default: bool) -> bool:
    raw = os.environ.get(name)
    if raw is None:
        return default
    if raw.lower() in {"1", "true", "yes", "on"}:
        return True
    if raw.lower() in {"0", "false", "no", "off", ""}:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, got {raw!r}")


def env_int(name: str, default: int) -> int:
    raw = os.environ.get(name, str(default))
    try:
        return int(raw)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, got {raw!r}") from None


def env_list(name: str, default: str) -> list[str]:
    return [item.strip() for item in os.environ.get(name, default).split(",") if item.strip()]


def generated_secret(path: Path) -> str:
    """Return the embedded default's secret key, made once and readable by its owner only."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(64))
    return path.read_text()


DATA_DIR = Path(os.environ.get("KI_DATA", BASE_DIR / "var")).resolve()
DATABASE_URL = os.environ.get("DATABASE_URL", "")
IS_EMBEDDED = not DATABASE_URL  # the two-command start: SQLite, demo staff account, http on localhost

DEBUG = env_bool("KI_DEBUG", False)
SECRET_KEY = os.environ.get("KI_SECRET_KEY", "")
if not SECRET_KEY:
    if not IS_EMBEDDED and not env_bool("KI_ALLOW_GENERATED_SECRET", False):
        raise ImproperlyConfigured("KI_SECRET_KEY must be set where DATABASE_URL is")
    SECRET_KEY = generated_secret(DATA_DIR / "secret-key")

SITE_URL = os.environ.get("KI_SITE_URL", "http://localhost:8000").rstrip("/")
ALLOWED_HOSTS = env_list("KI_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env_list("KI_CSRF_TRUSTED_ORIGINS", "")

INSTALLED_APPS = [
    "kernelindex.apps.StaffConfig",  # django.contrib.admin
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "allauth",
    "allauth.account",
    "rest_framework",
    "drf_spectacular",
    "django_q",
    "registry",
    "attestations",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "kernelindex.urls"
WSGI_APPLICATION = "kernelindex.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                f"registry.templatetags.{name}" for name in ("measures", "marks", "plots", "tables", "histories")
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",  # a read-then-write transaction never meets "database is locked" half way
    "timeout": 20,
    # recursive_triggers: without it INSERT OR REPLACE passes the DELETE guards of the fact tables.
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON;"
    ),
}
DATABASES = {
    "default": dj_database_url.parse(
        DATABASE_URL or f"sqlite:///{DATA_DIR / 'registry.sqlite3'}", conn_max_age=env_int("KI_CONN_MAX_AGE", 60)
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"].setdefault("OPTIONS", {}).update(SQLITE_OPTIONS)
    DATA_DIR.mkdir(parents=True, exist_ok=True)
else:
    # A page's queries join a dozen tables from one row outward, as they are written. Trying eight at a time in every
    # order took most of a page's time: planned 10 ms, executed 0.3 ms.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("options", "-c join_collapse_limit=3")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

MEDIA_ROOT = Path(os.environ.get("KI_MEDIA", DATA_DIR / "media"))
STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("KI_STATIC", DATA_DIR / "static"))
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

LANGUAGE_CODE = "en"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True

# Content-Security-Policy: nothing but ourselves. GitHub's host joins form-action when its sign-in is configured.
GITHUB_CLIENT_ID = os.environ.get("KI_GITHUB_CLIENT_ID", "")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF, *(["https://github.com"] if GITHUB_CLIENT_ID else [])],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
IS_HTTPS = SITE_URL.startswith("https://")
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_HSTS_SECONDS = env_int("KI_HSTS_SECONDS", 31_536_000) if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = IS_HTTPS
SECURE_HSTS_PRELOAD = IS_HTTPS
SESSION_COOKIE_SECURE = IS_HTTPS
CSRF_COOKIE_SECURE = IS_HTTPS
if env_bool("KI_TRUST_PROXY", False):  # only behind a proxy that sets this header itself
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "kernelindex.accounts.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # nobody can sign up yet; the demo staff account has no mailbox
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

CACHES = {
    "default": {
        # Rate limits of sign-in count in the cache: in the database, so that all web processes share one count.
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "django_cache",
    },
    # The worker would write its own state twice a second; what it does stands on the syncs.
    "worker": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"},
}

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "kernelindex.api.ProblemAutoSchema",
    "EXCEPTION_HANDLER": "kernelindex.api.problem_response",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "KernelIndex API",
    "DESCRIPTION": "The same facts as the pages, from the same query objects.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}

# Jobs: each task only rings a bell; what it does is claimed on a row of ours, with a lease and a back-off of its own.
# retry > (queue_limit / workers + 2) x timeout: a queued task is never handed out twice while one runs.
REDIS_URL = os.environ.get("KI_REDIS_URL", "")
Q_CLUSTER = {
    "name": "kernelindex",
    **({"redis": REDIS_URL} if REDIS_URL else {"orm": "default"}),
    "workers": env_int("KI_WORKERS", 1),
    "queue_limit": 1,
    "timeout": 3600,
    "retry": 4 * 3600,
    "max_attempts": 3,
    "ack_failures": True,  # a task that raised is not repeated: trying again is a matter of our rows
    "poll": 1,
    "catch_up": False,
    "save_limit": 250,
    "label": "Jobs",
    "cache": "worker",
}
# How long a worker that shows no progress still owns its sync: past the longest single step, one slow request.
SYNC_LEASE_SECONDS = env_int("KI_SYNC_LEASE_SECONDS", 600)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": os.environ.get("KI_LOG_LEVEL", "WARNING")},
}
