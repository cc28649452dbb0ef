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

# Sign-in by GitHub exists where both of its keys are set; without them there is no button and no address.
GITHUB_CLIENT_ID = os.environ.get("KI_GITHUB_CLIENT_ID", "")
GITHUB_SECRET = os.environ.get("KI_GITHUB_SECRET", "")
GITHUB_URL = os.environ.get("KI_GITHUB_URL", "https://github.com").rstrip("/")
if bool(GITHUB_CLIENT_ID) != bool(GITHUB_SECRET):
    raise ImproperlyConfigured("KI_GITHUB_CLIENT_ID and KI_GITHUB_SECRET must be set together")
GITHUB_APP = ["allauth.socialaccount.providers.github"] if GITHUB_CLIENT_ID else []

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
    "allauth.socialaccount",
    *GITHUB_APP,
    "allauth.mfa",
    "allauth.usersessions",
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
    "kernelindex.accounts.keep_account_pages_private",
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
                *(f"registry.templatetags.{name}" for name in ("measures", "marks", "plots", "tables", "histories")),
                "attestations.templatetags.safely",  # every page shows what strangers wrote
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "attestations.views.shared.reader",
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
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF, *([GITHUB_URL] if GITHUB_APP else [])],
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
PASSWORD_RESET_TIMEOUT = 2 * 3600
ACCOUNT_ADAPTER = "kernelindex.accounts.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "KernelIndex: "
ACCOUNT_EMAIL_NOTIFICATIONS = True  # a changed password, address or factor is told to the account's address
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # in the browser that signed up, which so comes back to where it was
ACCOUNT_MAX_EMAIL_ADDRESSES = 3
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # before addresses change, as allauth does before factors do
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
# Counted in the cache, so by all web processes together. A refused try is not held against the account, and every
# limit ends by itself. What is counted: per address (ip; of IPv6 the /64), per account or e-mail address (key).
ACCOUNT_RATE_LIMITS = {
    "login": "30/5m/ip",
    # An address is out of tries before an account is: nobody is locked out by one machine of somebody else.
    "login_failed": "10/5m/ip,20/5m/key",
    "login_anywhere": "1000/5m/key",  # the whole site: a spray from many addresses
    "second_factor": "5/5m/key,20/h/key,50/d/key",  # six digits, and the password is known already
    "signup": "20/h/ip",
    "confirm_email": "1/3m/key,3/6h/key",  # mails to an address that may be somebody else's
    "reset_password": "20/h/ip,5/d/key",
    "reset_password_from_key": "20/h/ip",
    "change_password": "5/5m/user",
    "manage_email": "10/h/user",
    "reauthenticate": "10/5m/user",
}
ACCOUNT_FORMS = {
    "login": "kernelindex.account_forms.LoginForm",
    "signup": "kernelindex.account_forms.SignupForm",
    "add_email": "kernelindex.account_forms.AddEmailForm",
    "change_password": "kernelindex.account_forms.ChangePasswordForm",
    "set_password": "kernelindex.account_forms.SetPasswordForm",
    "reset_password": "kernelindex.account_forms.ResetPasswordForm",
    "reset_password_from_key": "kernelindex.account_forms.ResetPasswordKeyForm",
    "reauthenticate": "kernelindex.account_forms.PasswordAgainForm",
}
ALLAUTH_TRUSTED_PROXY_COUNT = env_int("KI_PROXY_COUNT", 0)

MFA_ADAPTER = "kernelindex.accounts.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]  # no passkeys: their pages need scripts that carry data inline
MFA_TOTP_ISSUER = "KernelIndex"
MFA_TOTP_TOLERANCE = 1  # one step of 30 s either way: telephones' clocks; a code is taken once all the same
MFA_FORMS = {
    "authenticate": "kernelindex.account_forms.CodeForm",
    "reauthenticate": "kernelindex.account_forms.CodeAgainForm",
    "activate_totp": "kernelindex.account_forms.FirstCodeForm",
}

SOCIALACCOUNT_ADAPTER = "kernelindex.accounts.SocialAccountAdapter"
SOCIALACCOUNT_FORMS = {"signup": "kernelindex.account_forms.SocialSignupForm"}
SOCIALACCOUNT_STORE_TOKENS = False  # nothing is done in anybody's name at GitHub
SOCIALACCOUNT_PROVIDERS = {
    "github": {
        # Two keys, so that the provider asks github.com unless told otherwise: its own server has the API elsewhere.
        **({} if GITHUB_URL == "https://github.com" else {"GITHUB_URL": GITHUB_URL}),
        "APPS": [{"client_id": GITHUB_CLIENT_ID, "secret": GITHUB_SECRET}] if GITHUB_APP else [],
    }
}

# Mail: printed by the embedded default, by SMTP where a host is given.
EMAIL_HOST = os.environ.get("KI_SMTP_HOST", "")
EMAIL_PORT = env_int("KI_SMTP_PORT", 587)
EMAIL_HOST_USER = os.environ.get("KI_SMTP_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("KI_SMTP_PASSWORD", "")
SMTP_SECURITY = os.environ.get("KI_SMTP_SECURITY", "starttls")
if SMTP_SECURITY not in {"starttls", "tls", "none"}:
    raise ImproperlyConfigured(f"KI_SMTP_SECURITY must be starttls, tls or none, got {SMTP_SECURITY!r}")
EMAIL_USE_TLS = SMTP_SECURITY == "starttls"
EMAIL_USE_SSL = SMTP_SECURITY == "tls"
EMAIL_TIMEOUT = 10
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
DEFAULT_FROM_EMAIL = os.environ.get("KI_MAIL_FROM", "KernelIndex <noreply@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

CACHES = {
    "default": {
        # Rate limits of sign-in count in the cache: in the database, so that all web processes share one count.
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "django_cache",
        "KEY_FUNCTION": "kernelindex.caching.opaque_key",
        # Past this many entries the cache throws some away, counts among them: not within anybody's reach.
        "OPTIONS": {"MAX_ENTRIES": 100_000},
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
