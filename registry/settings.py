"""Django settings. Deployment choices are environment variables, declared in `registry/environment.py`."""

from pathlib import Path

from django.contrib import admin

from registry.accounts.settings import *  # noqa: F403  # every name in it is a setting
from registry.api.schema.document import DOCUMENT
from registry.api.schema.enumerations import ENUM_NAMES
from registry.devserver import database
from registry.environment import is_demonstration, read
from registry.observability import logs

BASE_DIR = Path(__file__).resolve().parent.parent

# Without DATABASE_URL, the registry runs as a demonstration: insecure defaults, and mail on the console.
IS_DEMONSTRATION = is_demonstration()
DEBUG: bool = read("DEBUG")
SECRET_KEY: str = read("SECRET_KEY")
SECRET_KEY_FALLBACKS: list[str] = read("SECRET_KEY_FALLBACKS")
LOG_SIGNING_KEY: str = read("LOG_SIGNING_KEY")
LOG_VERIFIER_KEYS: list[str] = read("LOG_VERIFIER_KEYS")
LOG_HEAD_RECIPIENTS: list[str] = read("LOG_HEAD_RECIPIENTS")
LOG_WITNESSES: list[str] = read("LOG_WITNESSES")
LOG_TIMESTAMP_AUTHORITIES: list[str] = read("LOG_TIMESTAMP_AUTHORITIES")
ALLOWED_HOSTS: list[str] = read("ALLOWED_HOSTS")
PUBLIC_ORIGIN: str = read("PUBLIC_ORIGIN").rstrip("/")
CSRF_TRUSTED_ORIGINS = [PUBLIC_ORIGIN]
CSRF_FAILURE_VIEW = "registry.core.form_views.csrf_failure"

INSTALLED_APPS = [
    "registry.core",
    "registry.accounts",
    "registry.audit_log",
    "registry.mail",
    "registry.registration_template",
    "registry.organisations",
    "registry.domains",
    "registry.namespaces",
    "registry.resolution",
    "registry.custody",
    "registry.subnamespaces",
    "registry.registers",
    "registry.sightings",
    "registry.cases",
    "registry.review_desk",
    "registry.publication",
    "registry.api",
    "registry.webhooks",
    "registry.devserver",
    # The admin site itself is registry.review_desk.admin.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "registry.core.staticfiles.CollectedStaticFilesConfig",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "procrastinate.contrib.django",
    "rest_framework",
]
MIDDLEWARE = [
    "registry.core.http.response_headers.ResponseHeadersMiddleware",
    "registry.api.framework.middleware.ProblemMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "registry.core.http.request_limits.RequestLimitsMiddleware",
    "registry.audit_log.consistency.ReplicaMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Default deny: public views are marked with @login_not_required.
    "registry.accounts.middleware.DefaultDenyMiddleware",
    "registry.accounts.time_zones.TimeZoneMiddleware",
    "registry.accounts.sessions.SessionUseMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "registry.core.http.middleware.RegistryErrorMiddleware",
    "registry.accounts.second_factors.policy.SuspendedRoleMiddleware",
    "registry.observability.access_log.RouteMiddleware",
    "registry.api.representations.RepresentationMiddleware",
]
ROOT_URLCONF = "registry.urls"
WSGI_APPLICATION = "registry.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Of the other apps, only the templates of the admin are used.
        "DIRS": [BASE_DIR / "templates", Path(admin.__path__[0]) / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["registry.core.templatetags.times"],
        },
    },
    # Mails are plain text, so nothing is escaped.
    {
        "NAME": "emails",
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" / "emails"],
        "OPTIONS": {"autoescape": False},
    },
]

# registry.core.http.request_limits limits the body of a request by its view.
DATA_UPLOAD_MAX_MEMORY_SIZE = None
FILE_UPLOAD_HANDLERS = ["registry.core.http.request_limits.RefuseFiles"]

DATABASES = database.configurations()
# What web processes use instead of it (registry.core.database.connections).
DATABASE_POOLER = database.pooler()
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# In the database, so that the rate limits of django-allauth count for all processes together.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "core_cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # Public pages, at most 300 in a process, until something that they show changes (registry.core.http.page_cache).
    "pages": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "TIMEOUT": 3600},
    # How many things wait for each person, for the header of pages (registry.accounts.waiting).
    "waiting_counts": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "waiting_counts",
        "TIMEOUT": 30,
    },
}

# Mail is sent from the outbox (registry.mail). The demonstration prints it on the console, and shows it at /demo/mailbox/.
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
if EMAIL_HOST := read("EMAIL_HOST"):
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_PORT: int = read("EMAIL_PORT")
    EMAIL_HOST_USER: str = read("EMAIL_HOST_USER")
    EMAIL_HOST_PASSWORD: str = read("EMAIL_HOST_PASSWORD")
    EMAIL_USE_SSL: bool = read("EMAIL_USE_SSL")
    EMAIL_USE_TLS: bool = read("EMAIL_USE_TLS") and not EMAIL_USE_SSL
    EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL: str = read("DEFAULT_FROM_EMAIL")
# The outbox records sent mail, so successful jobs are deleted. Each queue (registry.core.jobs) has as many slots as
# `concurrency`: the daily check of services and two runs of webhooks take minutes. A job ends soon after the worker is stopped.
PROCRASTINATE_WORKER_DEFAULTS = {
    "delete_jobs": "successful",
    "concurrency": 4,
    "shutdown_graceful_timeout": 10,
}
# The list to which submitted templates are posted for review (RFC 8141, Sections 6.2 (2) and 7.3).
DISCUSSION_LIST: str = read("DISCUSSION_LIST")
DISCUSSION_ARCHIVE: str = read("DISCUSSION_ARCHIVE")
# Days after which a case in a state is overdue. RFC 8141 sets no deadlines. 0 or a missing state: no deadline.
DAYS_TO_ACT: dict[str, int] = {
    "in_review": read("DAYS_IN_REVIEW"),
    "changes_requested": read("DAYS_FOR_CHANGES"),
    "awaiting_direction": read("DAYS_FOR_DIRECTION"),
    "approved": read("DAYS_FOR_ASSIGNMENT"),
}
DAYS_BEFORE_REMINDER: int = read("DAYS_BEFORE_REMINDER")
DAYS_TO_ESCALATION: int = read("DAYS_TO_ESCALATION")
DAYS_TO_OBJECT: int = read("DAYS_TO_OBJECT")

# URIs to which vulnerabilities are reported: /.well-known/security.txt.
SECURITY_CONTACT: list[str] = read("SECURITY_CONTACT")

# The bearer token of /metrics. Without it, /metrics responds with 404.
METRICS_TOKEN: str = read("METRICS_TOKEN")

# Whether the worker checks the services of namespaces every day, and the seconds between two requests to one host.
CHECK_SERVICES: bool = read("CHECK_SERVICES")
SECONDS_BETWEEN_CHECKS: int = read("SECONDS_BETWEEN_CHECKS")
WEBSUB_HUB: str = read("WEBSUB_HUB")
USER_AGENT = f"urn-registry (+{PUBLIC_ORIGIN}/services/)"
# Requests that the registry sends go to public addresses only (registry.core.outgoing). Tests allow this machine.
ALLOW_REQUESTS_TO_LOOPBACK = False

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

# Pages load resources from this host only.
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
    # With this prefix, browsers accept a cookie only from this host, over HTTPS (RFC 6265bis, Section 4.1.3.2).
    SESSION_COOKIE_NAME = "__Host-sessionid"
    CSRF_COOKIE_NAME = "__Host-csrftoken"
# The default storage uses another cookie, which sites in the same domain could set.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["registry.api.framework.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["registry.api.framework.permissions.HasTokenScope"],
    "DEFAULT_THROTTLE_CLASSES": ["registry.api.framework.throttling.RequestThrottle"],
    "DEFAULT_PAGINATION_CLASS": "registry.api.framework.pagination.KeysetPagination",
    "DEFAULT_PARSER_CLASSES": ["registry.api.framework.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "registry.api.framework.renderers.FormatNegotiation",
    "DEFAULT_SCHEMA_CLASS": "registry.api.schema.auto_schema.AutoSchema",
    "EXCEPTION_HANDLER": "registry.api.framework.problems.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
    "FORMAT_SUFFIX_KWARG": "suffix",
}

# Whether no one grants a role to themselves, or makes two decisions of one case that check each other.
SEPARATE_DUTIES: bool = read("SEPARATE_DUTIES")

# The requests per minute that one client of the API can make (registry.api.framework.throttling).
API_READS_A_MINUTE: int = read("API_READS_A_MINUTE")
API_WRITES_A_MINUTE: int = read("API_WRITES_A_MINUTE")

# Attempts of one account at an action an hour, on pages and with the API, and posts of one case a day (registry.core.rate_limits).
ACTIONS_AN_HOUR: dict[str, int] = {
    "comments": read("COMMENTS_AN_HOUR"),
    "rounds": read("ROUNDS_AN_HOUR"),
    "drafts": read("DRAFTS_AN_HOUR"),
    "saves": read("SAVES_AN_HOUR"),
    "invitations": read("INVITATIONS_AN_HOUR"),
    "organisations": read("ORGANISATIONS_AN_HOUR"),
    "domains": read("DOMAINS_AN_HOUR"),
    "checks of domains": read("DOMAIN_CHECKS_AN_HOUR"),
    "offers": read("OFFERS_AN_HOUR"),
    "claims": read("CLAIMS_AN_HOUR"),
    "sightings": read("SIGHTINGS_AN_HOUR"),
    "requests for entries": read("ENTRY_REQUESTS_AN_HOUR"),
    "changes of contacts": read("CONTACT_CHANGES_AN_HOUR"),
    "tests, replays and resumptions of webhooks": read("WEBHOOK_TESTS_AN_HOUR"),
    "challenges of webhooks": read("WEBHOOK_CHALLENGES_AN_HOUR"),
}
ENTRY_REQUESTS_A_DAY: int = read("ENTRY_REQUESTS_A_DAY")
POSTS_A_DAY: int = read("POSTS_A_DAY")

# A test compares the generated description with the committed one, so `check` does not generate it.
SPECTACULAR_SETTINGS = DOCUMENT | {
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_NAME_OVERRIDES": ENUM_NAMES,
    "ENUM_SUFFIX": "",
    "PREPROCESSING_HOOKS": ["registry.api.schema.hooks.canonical_endpoints"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "registry.api.schema.hooks.revised",
        "registry.api.schema.examples.complete",
        "registry.api.schema.hooks.sparse_entries",
    ],
}

LOGGING = logs.configuration(read("LOG_LEVEL"), as_json=not IS_DEMONSTRATION)

# The constraint `one_account_per_email` makes addresses unique regardless of case. Django expects `unique=True`.
SILENCED_SYSTEM_CHECKS = ["auth.W004"]
