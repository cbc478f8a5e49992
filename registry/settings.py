"""Django settings. Deployment choices are environment variables, declared in `registry/environment.py`."""

from pathlib import Path

from django.contrib import admin

from registry.devserver import database
from registry.environment import is_demonstration, read

BASE_DIR = Path(__file__).resolve().parent.parent


# Without DATABASE_URL the registry runs as a demonstration: open defaults, mail on the console.
IS_DEMONSTRATION = is_demonstration()
DEBUG: bool = read("DEBUG")
SECRET_KEY: str = read("SECRET_KEY")
ALLOWED_HOSTS: list[str] = read("ALLOWED_HOSTS")
PUBLIC_ORIGIN: str = read("PUBLIC_ORIGIN").rstrip("/")
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
    "registry.devserver",
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
    "registry.core.middleware.RegistryErrorMiddleware",
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
ALLAUTH_TRUSTED_PROXY_COUNT: int = read("TRUSTED_PROXY_COUNT")
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional" if IS_DEMONSTRATION else "mandatory"
# In the browser in which somebody has just signed up, the mail's link signs in too; in another one it does not.
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"

# Mail leaves from the outbox (registry.mail), in the demonstration onto the console.
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
if EMAIL_HOST := read("EMAIL_HOST"):
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_PORT: int = read("EMAIL_PORT")
    EMAIL_HOST_USER: str = read("EMAIL_HOST_USER")
    EMAIL_HOST_PASSWORD: str = read("EMAIL_HOST_PASSWORD")
    EMAIL_USE_TLS: bool = read("EMAIL_USE_TLS")
    EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL: str = read("DEFAULT_FROM_EMAIL")
# The worker that empties the outbox. The outbox itself remembers what was sent, so jobs that are done go.
PROCRASTINATE_WORKER_DEFAULTS = {"delete_jobs": "successful"}
# Where submitted templates are posted for review (RFC 8141, sections 6.2 (2) and 7.3).
DISCUSSION_LIST: str = read("DISCUSSION_LIST")

# Days after which a case in a state is overdue. RFC 8141 sets no deadlines. 0 or a missing state: no deadline.
DAYS_TO_ACT: dict[str, int] = {
    "in_review": read("DAYS_IN_REVIEW"),
    "changes_requested": read("DAYS_FOR_CHANGES"),
    "awaiting_direction": read("DAYS_FOR_DIRECTION"),
    "approved": read("DAYS_FOR_ASSIGNMENT"),
}
DAYS_BEFORE_REMINDER: int = read("DAYS_BEFORE_REMINDER")
DAYS_TO_ESCALATION: int = read("DAYS_TO_ESCALATION")

# The bearer token of /metrics; without one the page does not exist.
METRICS_TOKEN: str = read("METRICS_TOKEN")

LANGUAGE_CODE = "en"
USE_I18N = False
TIME_ZONE = "UTC"

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
if PUBLIC_ORIGIN.startswith("https://"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["registry.api.framework.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["registry.api.framework.permissions.HasTokenScope"],
    "DEFAULT_THROTTLE_CLASSES": ["registry.api.framework.throttling.RequestThrottle"],
    "DEFAULT_PAGINATION_CLASS": "registry.api.framework.pagination.KeysetPagination",
    "DEFAULT_PARSER_CLASSES": ["registry.api.framework.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "registry.api.framework.negotiation.FormatNegotiation",
    "DEFAULT_SCHEMA_CLASS": "registry.api.schema.auto_schema.AutoSchema",
    "EXCEPTION_HANDLER": "registry.api.framework.problems.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
    "FORMAT_SUFFIX_KWARG": "suffix",
}

# How much one client of the API may ask for in a minute (registry.api.framework.throttling).
API_READS_A_MINUTE: int = read("API_READS_A_MINUTE")
API_WRITES_A_MINUTE: int = read("API_WRITES_A_MINUTE")

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
        "Role": ["expert", "administrator", "liaison", "leader"],
        "Scope": ["read", "write", "decide"],
        "State": "registry.cases.models.State",
        "TemplateForm": ["8141", "3406"],
        "Severity": ["blocking", "advice"],
        "EquivalenceBasis": ["section", "rules"],
    },
    "ENUM_SUFFIX": "",
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
    "root": {"handlers": ["console"], "level": read("LOG_LEVEL")},
}

# An address is unique whatever its case, by the constraint `one_account_per_email`; Django looks for `unique`.
SILENCED_SYSTEM_CHECKS = ["auth.W004"]
