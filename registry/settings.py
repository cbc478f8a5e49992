"""Settings. Every deployment choice is an environment variable, listed in `.env.example`."""

import os
from pathlib import Path

from django.contrib import admin
from django.core.exceptions import ImproperlyConfigured

from registry.devserver import database

BASE_DIR = Path(__file__).resolve().parent.parent


def _setting(name: str, *, demonstration: str) -> str:
    """The environment's value; in the demonstration, which has no DATABASE_URL, a harmless one."""
    value = os.environ.get(name)
    if value:
        return value
    if IS_DEMONSTRATION:
        return demonstration
    raise ImproperlyConfigured(f"Set {name} in the environment (see .env.example): DATABASE_URL is set.")


# Without a database server of its own the registry runs to be tried: open defaults, mail on the console.
IS_DEMONSTRATION = not os.environ.get("DATABASE_URL")
DEBUG = os.environ.get("DEBUG") == "1"
SECRET_KEY = _setting("SECRET_KEY", demonstration="demonstration-only-" + "0" * 40)
ALLOWED_HOSTS = _setting("ALLOWED_HOSTS", demonstration="localhost 127.0.0.1 [::1] testserver").split()
PUBLIC_ORIGIN = _setting("PUBLIC_ORIGIN", demonstration="http://localhost:8000").rstrip("/")
CSRF_TRUSTED_ORIGINS = [PUBLIC_ORIGIN]
CSRF_FAILURE_VIEW = "registry.core.form_recovery.csrf_failure"

INSTALLED_APPS = [
    "registry.accounts",
    "registry.audit_log",
    "registry.mail",
    "registry.registration_template",
    "registry.namespaces",
    "registry.cases",
    "registry.review_desk",
    "registry.publication",
    "registry.api",
    # The admin site itself is registry.review_desk.admin.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "pgtrigger",
    "procrastinate.contrib.django",
    "rest_framework",
]
MIDDLEWARE = [
    "registry.api.framework.middleware.ProblemMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Default deny: a view that strangers may see says so with @login_not_required.
    "registry.accounts.middleware.DefaultDenyMiddleware",
    "registry.accounts.time_zones.TimeZoneMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "registry.core.exceptions.RegistryErrorMiddleware",
    "registry.observability.access_log.RouteMiddleware",
]
ROOT_URLCONF = "registry.urls"
WSGI_APPLICATION = "registry.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Of the apps that bring pages, the admin's alone are used as they come.
        "DIRS": [BASE_DIR / "templates", Path(admin.__path__[0]) / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
    # The words of mails: plain text, so nothing is escaped.
    {
        "NAME": "emails",
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" / "emails"],
        "OPTIONS": {"autoescape": False},
    },
]

# Far above what a form takes (250,000 characters, of which one can need 12 bytes on its way), so that whoever
# pastes too much gets the form back, with the text and a sentence. Beyond it the request is not read at all.
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024

DATABASES = {"default": database.configuration()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Accounts: an e-mail address and a password (django-allauth).
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_ADAPTER = "registry.accounts.adapter.AccountAdapter"
# Attempts are counted by address: without this all people behind a proxy have one, the proxy's.
ALLAUTH_TRUSTED_PROXY_COUNT = int(os.environ.get("TRUSTED_PROXY_COUNT", "0"))
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional" if IS_DEMONSTRATION else "mandatory"
# In the browser in which somebody has just signed up, the mail's link signs in too; in another one it does not.
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"

# Mail leaves from the outbox (registry.mail), in the demonstration onto the console.
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
if os.environ.get("EMAIL_HOST"):
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST = os.environ["EMAIL_HOST"]
    EMAIL_PORT = int(os.environ.get("EMAIL_PORT", "587"))
    EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
    EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
    EMAIL_USE_TLS = os.environ.get("EMAIL_USE_TLS", "1") == "1"
    EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "registry@example.org")
# The worker that empties the outbox. The outbox itself remembers what was sent, so jobs that are done go.
PROCRASTINATE_WORKER_DEFAULTS = {"delete_jobs": "successful"}
# Where submitted templates are posted for review (RFC 8141, sections 6.2 (2) and 7.3).
DISCUSSION_LIST = os.environ.get("DISCUSSION_LIST", "urn-discussion@example.org")

# By how many days a case should have moved on from a state; what is overdue is shown, and people are reminded.
# RFC 8141 names no terms, so these are this registry's promise. No limit for a state that is left out.
DAYS_TO_ACT = {
    "in_review": int(os.environ.get("DAYS_IN_REVIEW", "14")),
    "changes_requested": int(os.environ.get("DAYS_FOR_CHANGES", "90")),
    "awaiting_direction": int(os.environ.get("DAYS_FOR_DIRECTION", "30")),
    "approved": int(os.environ.get("DAYS_FOR_ASSIGNMENT", "7")),
}

# How many days before a case is due people are reminded, and how many days after it the leader is told.
DAYS_BEFORE_REMINDER = int(os.environ.get("DAYS_BEFORE_REMINDER", "3"))
DAYS_TO_ESCALATION = int(os.environ.get("DAYS_TO_ESCALATION", "7"))

# Whoever shows it reads the figures at /metrics; without one nobody does.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "demonstration-only" if IS_DEMONSTRATION else "")

LANGUAGE_CODE = "en"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "registry" / "assets"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "registry.core.staticfiles.CollectedStaticFilesStorage"},
}

# A page may load what this host serves, and nothing else.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
if PUBLIC_ORIGIN.startswith("https://"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

REST_FRAMEWORK = {
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "registry.api.framework.problems.exception_handler",
    "DEFAULT_PAGINATION_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,
    "FORMAT_SUFFIX_KWARG": "suffix",
}

# How much one client of the API may ask for in a minute (registry.api.framework.throttling).
API_READS_A_MINUTE = int(os.environ.get("API_READS_A_MINUTE", "600"))
API_WRITES_A_MINUTE = int(os.environ.get("API_WRITES_A_MINUTE", "120"))

# The description is compared with a committed one by a test, so `check` need not write it each time.
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "The registry of URN namespaces",
    "VERSION": "1",
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_NAME_OVERRIDES": {
        "PublicState": "registry.api.cases.public.PUBLIC_STATES",
        "NamespaceStatus": "registry.api.namespaces.views.STATUSES",
        "NIDStatus": ["malformed", "unregistrable", "registered", "requested", "free"],
        "NIDStatusOfProblem": ["malformed", "unregistrable", "requested", "free"],
        "Kind": "registry.namespaces.models.Kind",
        "Origin": "registry.namespaces.models.Origin",
        "Outcome": "registry.cases.models.Outcome",
        "Change": ["same", "added", "removed", "changed", "folded"],
        "Procedure": "registry.cases.models.Procedure",
        "Role": ["expert", "administrator", "liaison"],
        "Scope": ["read", "write", "decide"],
        "State": "registry.cases.models.State",
        "TemplateForm": ["8141", "3406"],
        "Severity": "registry.registration_template.checks.findings.Severity",
    },
    "PREPROCESSING_HOOKS": ["registry.api.schema.operations.canonical_endpoints"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "registry.api.schema.operations.complete_schema",
    ],
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "WARNING")},
}

# An address is unique whatever its case, by the constraint `one_account_per_email`; Django looks for `unique`.
SILENCED_SYSTEM_CHECKS = ["auth.W004"]
