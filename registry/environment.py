"""Environment variables: one declaration for each, and the function that reads it.

`registry/settings.py`, `run.py` and the commands read the environment through `read`, and nowhere else.
`python3 run.py docs` writes `docs/configuration.md` and `.env.example` from the same table.
"""

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.core.exceptions import ImproperlyConfigured


class Kind(StrEnum):
    """The type of a value, as the documentation describes it."""

    TEXT = "text"
    LIST = "values separated by spaces"
    NUMBER = "a whole number"
    PORT = "a number from 1 to 65535"
    SWITCH = "`0` or `1`"
    CONTACTS = "URIs with `mailto:`, `https:` or `tel:`, separated by spaces"
    HTTPS = "an address that begins with `https://`"
    HEADER = "the name of a header, of letters and digits"
    WITNESSES = "pairs of a verifier key and an address that begins with `https://`, separated by spaces"
    AUTHORITIES = "pairs of an address that begins with `https://` and a path, separated by spaces"
    LEVEL = "`DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`"


PATTERNS = {
    Kind.NUMBER: "[0-9]{1,9}",
    Kind.PORT: "[1-9][0-9]{0,4}",
    Kind.SWITCH: "[01]",
    Kind.CONTACTS: r"\s*((mailto:|https://|tel:)[!-~]+(\s+|$))*",
    Kind.HTTPS: "(https://[!#-;=?-~]+)?",
    Kind.HEADER: "[A-Za-z0-9]*",
    Kind.WITNESSES: r"\s*([^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+\s+https://[!#-;=?-~]+(\s+|$))*",
    Kind.AUTHORITIES: r"\s*(https://[!#-;=?-~]+\s+\S+(\s+|$))*",
    Kind.LEVEL: "DEBUG|INFO|WARNING|ERROR|CRITICAL",
}
LISTS = frozenset({Kind.LIST, Kind.CONTACTS, Kind.WITNESSES, Kind.AUTHORITIES})


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable. An empty value counts as not set.

    `required` applies when DATABASE_URL is set. Without DATABASE_URL the registry runs as a demonstration,
    and `demonstration` replaces `default`. A line break in `help` is kept in `.env.example`. `example` is the value shown in `.env.example`.
    """

    name: str
    kind: Kind
    help: str
    default: str = ""
    required: bool = False
    demonstration: str | None = None
    example: str | None = None

    def parse(self, text: str) -> Any:
        """The value as Python sees it; raises ImproperlyConfigured if the text is not of the kind."""
        if (pattern := PATTERNS.get(self.kind)) and not re.fullmatch(pattern, text):
            raise self._malformed(text)
        if self.kind is Kind.PORT and int(text) > 65535:
            raise self._malformed(text)
        if self.kind in {Kind.NUMBER, Kind.PORT}:
            return int(text)
        if self.kind is Kind.SWITCH:
            return text == "1"
        return text.split() if self.kind in LISTS else text

    def _malformed(self, text: str) -> ImproperlyConfigured:
        expected = self.kind.value.replace("`", "")
        return ImproperlyConfigured(f"{self.name} is {text!r}; expected: {expected}.")


@dataclass(frozen=True, slots=True)
class Group:
    """Settings that belong together in the documentation."""

    title: str
    settings: tuple[Setting, ...]


GROUPS = (
    Group(
        "Database and site",
        (
            Setting(
                "DATABASE_URL",
                Kind.TEXT,
                "The database: PostgreSQL 15 or later. Percent-encode special characters in each part; add "
                "options as a query string. Of several hosts, separated by commas, the one that accepts writes is used. "
                "Without it the registry runs as a demonstration, with an embedded "
                "PostgreSQL and open defaults. With it, the settings marked as required must be set.",
                example="postgres://registry:password@db.example.org:5432/registry?sslmode=verify-full",
            ),
            Setting(
                "DATABASE_REPLICA_URL",
                Kind.TEXT,
                "A standby, or several hosts, for reads of public data that may be some seconds old. Without it, the "
                "database answers all requests.",
                example="postgres://registry:password@replica.example.org:5432/registry?sslmode=verify-full",
            ),
            Setting(
                "LOCK_TIMEOUT",
                Kind.NUMBER,
                "Seconds that a statement of a web process or of `manage.py migrate` waits for a lock. The request then gets "
                "503, and nothing was changed; the migration can be repeated. `0` means no limit.",
                default="5",
            ),
            Setting(
                "STATEMENT_TIMEOUT",
                Kind.NUMBER,
                "Seconds that a statement of a web process takes at most, waits included. Set it below the timeout of the "
                "proxy. Commands and the worker have no such limit. Neither has a pooler: set both limits for the role.",
                default="20",
            ),
            Setting(
                "DATABASE_POOLER_URL",
                Kind.TEXT,
                "The same database through a pooler, such as PgBouncer, which may give each transaction another connection. "
                "Web processes then connect to it; commands and the worker need sessions, and connect to `DATABASE_URL`.",
                example="postgres://registry:password@127.0.0.1:6432/registry",
            ),
            Setting(
                "GRANIAN_WORKERS",
                Kind.NUMBER,
                "The number of web workers that granian starts, which reads it too. `manage.py doctor` compares the connections "
                "that they need with those that the database allows; with several hosts, run it with the sum.",
                default="2",
            ),
            Setting(
                "SECRET_KEY",
                Kind.TEXT,
                "Django's secret key: at least 50 random characters, for example from\n"
                "`python3 -c 'import secrets; print(secrets.token_urlsafe(50))'`",
                required=True,
                demonstration="demonstration-only-" + "0" * 40,
            ),
            Setting(
                "SECRET_KEY_FALLBACKS",
                Kind.LIST,
                "Former secret keys. Sessions and links that were signed with them, and secrets of webhooks that were made with "
                "them, stay valid until you remove them.",
            ),
            Setting(
                "ALLOWED_HOSTS",
                Kind.LIST,
                "The host names that the site answers to.",
                required=True,
                demonstration="localhost 127.0.0.1 [::1] testserver",
                example="registry.example.org",
            ),
            Setting(
                "PUBLIC_ORIGIN",
                Kind.TEXT,
                "Scheme and host of the public address; every link in mails, feeds and API responses starts "
                "with it. With `https://`, cookies are secure, HTTP is redirected and HSTS is sent.",
                required=True,
                demonstration="http://localhost:8000",
                example="https://registry.example.org",
            ),
            Setting(
                "SECURITY_CONTACT",
                Kind.CONTACTS,
                "Where to report vulnerabilities of this installation: the contacts in "
                "`/.well-known/security.txt` (RFC 9116). Without it that page does not exist.",
                example="mailto:security@example.org",
            ),
            Setting(
                "WEBSUB_HUB",
                Kind.HTTPS,
                "A WebSub hub for the feeds, at a public address. The feeds name it, and the worker notifies it within "
                "a minute of new entries. Without it the feeds name none.",
                example="https://hub.example.org/",
            ),
        ),
    ),
    Group(
        "Proxy and rate limits",
        (
            Setting(
                "TRUSTED_PROXY_COUNT",
                Kind.NUMBER,
                "The number of proxies in front of the registry. With `0`, their headers are ignored. Otherwise "
                "`CLIENT_ADDRESS_HEADER` must be set, or no web process starts.",
                default="0",
                example="1",
            ),
            Setting(
                "CLIENT_ADDRESS_HEADER",
                Kind.HEADER,
                "The header that the proxy replaces by the address of the client; `X-Forwarded-For` is not read. "
                "Its name has no hyphen, so that clients can't send it with an underscore.",
                example="Clientaddress",
            ),
            Setting(
                "API_READS_A_MINUTE",
                Kind.NUMBER,
                "API read requests allowed per minute for each client: a token, or an address without one.",
                default="600",
            ),
            Setting(
                "API_WRITES_A_MINUTE",
                Kind.NUMBER,
                "API write requests allowed per minute for each client.",
                default="120",
            ),
            Setting(
                "EVENT_STREAMS",
                Kind.NUMBER,
                "Streams of `events/stream/` that a web worker serves at the same time; further ones end at once, and "
                "their clients connect again after 30 seconds. Each takes one of its blocking threads, so set fewer than half of them.",
                default="32",
                demonstration="2",
            ),
            Setting(
                "EVENT_STREAMS_OF_A_CLIENT",
                Kind.NUMBER,
                "Streams of `events/stream/` that a web worker serves at the same time to one account, or to one network address "
                "without a token; the response to a further one is 429.",
                default="8",
            ),
            Setting(
                "EVENT_STREAM_SECONDS",
                Kind.NUMBER,
                "Seconds after which a stream ends and its client continues with another one: less than the "
                "timeout of the proxy.",
                default="25",
            ),
            Setting(
                "COMMENTS_AN_HOUR",
                Kind.NUMBER,
                "Comments allowed per hour for each account, on the pages and with the API together. In the "
                "limits of accounts, refused attempts count.",
                default="60",
            ),
            Setting(
                "ROUNDS_AN_HOUR",
                Kind.NUMBER,
                "Submitted rounds allowed per hour for each account.",
                default="30",
            ),
            Setting(
                "DRAFTS_AN_HOUR", Kind.NUMBER, "New drafts allowed per hour for each account.", default="30"
            ),
            Setting(
                "SAVES_AN_HOUR",
                Kind.NUMBER,
                "Saves of drafts allowed per hour for each account, automatic ones included.",
                default="1800",
            ),
            Setting(
                "INVITATIONS_AN_HOUR",
                Kind.NUMBER,
                "Invitations of co-editors and of members of organisations allowed per hour for each account.",
                default="30",
            ),
            Setting(
                "ORGANISATIONS_AN_HOUR",
                Kind.NUMBER,
                "New organisations, and changes of their names and homepages, allowed per hour for each account.",
                default="10",
            ),
            Setting(
                "DOMAINS_AN_HOUR",
                Kind.NUMBER,
                "New domains of organisations allowed per hour for each account.",
                default="30",
            ),
            Setting(
                "DOMAIN_CHECKS_AN_HOUR",
                Kind.NUMBER,
                "Checks of domains that each account can ask for per hour.",
                default="30",
            ),
            Setting(
                "OFFERS_AN_HOUR",
                Kind.NUMBER,
                "Offers of namespaces to others allowed per hour for each account.",
                default="30",
            ),
            Setting(
                "CLAIMS_AN_HOUR",
                Kind.NUMBER,
                "Claims of namespaces allowed per hour for each account.",
                default="10",
            ),
            Setting(
                "SIGHTINGS_AN_HOUR",
                Kind.NUMBER,
                "Reports of unregistered NIDs in use allowed per hour for each account.",
                default="10",
            ),
            Setting(
                "ENTRY_REQUESTS_AN_HOUR",
                Kind.NUMBER,
                "Requests for entries of registers, and changes of them, allowed per hour for each account.",
                default="60",
            ),
            Setting(
                "CONTACT_CHANGES_AN_HOUR",
                Kind.NUMBER,
                "Changes of contacts of namespaces allowed per hour for each account.",
                default="30",
            ),
            Setting(
                "WEBHOOK_TESTS_AN_HOUR",
                Kind.NUMBER,
                "Tests, replays and resumptions of webhooks allowed per hour for each account.",
                default="60",
            ),
            Setting(
                "WEBHOOK_CHALLENGES_AN_HOUR",
                Kind.NUMBER,
                "Challenges of webhooks allowed per hour for each account, with those of new and changed webhooks.",
                default="20",
            ),
            Setting(
                "ENTRY_REQUESTS_A_DAY",
                Kind.NUMBER,
                "Requests for entries, changes of them and comments on them allowed per day for each account in one register.",
                default="40",
            ),
            Setting(
                "POSTS_A_DAY",
                Kind.NUMBER,
                "Posts to the discussion list allowed per day for each case.",
                default="10",
            ),
        ),
    ),
    Group(
        "Second factors",
        (
            Setting(
                "REQUIRE_SECOND_FACTOR",
                Kind.SWITCH,
                "Whether experts, administrators and liaisons need a passkey or an authenticator app. Without one, they "
                "can't make decisions or open the pages of the role after `SECOND_FACTOR_DAYS`.",
                default="1",
                demonstration="0",
            ),
            Setting(
                "SECOND_FACTOR_DAYS",
                Kind.NUMBER,
                "Days from the first sign-in with a role, or from its grant until then, after which the role needs the "
                "second factor. `0` means at once.",
                default="14",
            ),
        ),
    ),
    Group(
        "Sign-in with other providers",
        (
            Setting(
                "SIGN_IN_PROVIDERS",
                Kind.TEXT,
                "The path of a TOML file with providers of OpenID Connect, such as ORCID, Google or Microsoft: a table for "
                "each, with `name`, `issuer`, `client_id` and `client_secret`. See [Deployment](deployment.md#sign-in-with-other-providers).",
                example="/etc/urn-registry/sign-in-providers.toml",
            ),
        ),
    ),
    Group(
        "Separation of duties",
        (
            Setting(
                "SEPARATE_DUTIES",
                Kind.SWITCH,
                "Whether decisions need two people. If so, no one can grant themselves a role, register a namespace "
                "that they approved, direct the appeal of a case that they declined, or gain by a decision of theirs. Set `0` only for a registry "
                "with one person; the pages then say so.",
                default="1",
            ),
        ),
    ),
    Group(
        "Audit log",
        (
            Setting(
                "LOG_SIGNING_KEY",
                Kind.TEXT,
                "The path of a file with the private key that signs the heads of the audit log, and escrows. "
                "`manage.py make_signing_key FILE` writes it. Without it, nothing is signed.",
                demonstration=".postgres/log-signing-key",
                example="/etc/urn-registry/log-signing-key",
            ),
            Setting(
                "LOG_VERIFIER_KEYS",
                Kind.LIST,
                "Further verifier keys whose signatures are trusted, such as those of former signing keys.",
            ),
            Setting(
                "LOG_HEAD_RECIPIENTS",
                Kind.LIST,
                "The addresses that get each hourly head of the audit log, to keep it outside of the registry.",
                example="log-archive@example.org",
            ),
            Setting(
                "LOG_WITNESSES",
                Kind.WITNESSES,
                "The witnesses that the worker asks for cosignatures of each published head: for each its verifier key and the "
                "address of its submission prefix, which may be in a private network. See `docs/audit-log.md`.",
            ),
            Setting(
                "LOG_TIMESTAMP_AUTHORITIES",
                Kind.AUTHORITIES,
                "The time-stamping authorities (RFC 3161) that the worker asks for a token of each published head: for each its "
                "address, and a file with its root certificates in PEM. See `docs/audit-log.md`.",
            ),
        ),
    ),
    Group(
        "Mail",
        (
            Setting(
                "EMAIL_HOST",
                Kind.TEXT,
                "The SMTP server. Without it, mail is written to the worker's standard output.",
                example="mail.example.org",
            ),
            Setting("EMAIL_PORT", Kind.PORT, "The port of the SMTP server.", default="587"),
            Setting("EMAIL_HOST_USER", Kind.TEXT, "The user name for the SMTP server.", example="registry"),
            Setting("EMAIL_HOST_PASSWORD", Kind.TEXT, "The password for the SMTP server."),
            Setting("EMAIL_USE_TLS", Kind.SWITCH, "Whether to use STARTTLS.", default="1"),
            Setting(
                "EMAIL_USE_SSL",
                Kind.SWITCH,
                "Whether to use implicit TLS, usually at port 465 (RFC 8314), instead of STARTTLS.",
                default="0",
            ),
            Setting(
                "DEFAULT_FROM_EMAIL", Kind.TEXT, "The sender of all mail.", default="registry@example.org"
            ),
            Setting(
                "DISCUSSION_LIST",
                Kind.TEXT,
                "The mailing list to which submitted templates are posted (RFC 8141, Sections 6.2 and 7.3).",
                default="urn-discussion@example.org",
            ),
            Setting(
                "DISCUSSION_ARCHIVE",
                Kind.HTTPS,
                "The public archive of that list. Pages that name the list link to it.",
                example="https://mailarchive.ietf.org/arch/browse/urn/",
            ),
        ),
    ),
    Group(
        "Services of namespaces",
        (
            Setting(
                "CHECK_SERVICES",
                Kind.SWITCH,
                "Whether the worker requests an example of each service every day. The worker then needs HTTPS "
                "to the Internet, without a proxy.",
                default="1",
                demonstration="0",
            ),
            Setting(
                "SECONDS_BETWEEN_CHECKS",
                Kind.NUMBER,
                "Seconds between two requests of these checks to the same host.",
                default="2",
            ),
        ),
    ),
    Group(
        "Deadlines",
        (
            Setting(
                "DAYS_IN_REVIEW",
                Kind.NUMBER,
                "Days for experts to review a round. Deadlines only trigger reminders; they never decide a "
                "case. `0` means no deadline.",
                default="14",
            ),
            Setting(
                "DAYS_FOR_CHANGES",
                Kind.NUMBER,
                "Days for the registrant to submit the next round after changes were requested.",
                default="90",
            ),
            Setting(
                "DAYS_FOR_DIRECTION",
                Kind.NUMBER,
                "Days for the approval body to give its direction.",
                default="30",
            ),
            Setting(
                "DAYS_FOR_ASSIGNMENT",
                Kind.NUMBER,
                "Days for administrators to register an approved case.",
                default="7",
            ),
            Setting(
                "DAYS_BEFORE_REMINDER",
                Kind.NUMBER,
                "Days before a deadline at which a reminder is sent.",
                default="3",
            ),
            Setting(
                "DAYS_TO_ESCALATION",
                Kind.NUMBER,
                "Days after a deadline at which the leader of the experts is notified.",
                default="7",
            ),
            Setting(
                "DAYS_TO_OBJECT",
                Kind.NUMBER,
                "Days for the registrant of a namespace to object to the claim of another person, and for the holder of an entry to answer a "
                "recall.",
                default="30",
            ),
        ),
    ),
    Group(
        "Logs and metrics",
        (
            Setting("LOG_LEVEL", Kind.LEVEL, "The lowest level that is logged.", default="WARNING"),
            Setting(
                "METRICS_TOKEN",
                Kind.TEXT,
                "The token for `/metrics`, sent as `Authorization: Bearer <token>`. Without it the page does "
                "not exist.",
                demonstration="demonstration-only",
            ),
            Setting(
                "PROMETHEUS_MULTIPROC_DIR",
                Kind.TEXT,
                "The directory in which worker processes share their counters. It must exist, and be empty "
                "when the server starts.",
                example="/run/urn-registry-metrics",
            ),
            Setting(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                Kind.TEXT,
                "Where traces of requests and their statements are sent: OpenTelemetry's OTLP over HTTP. It needs the packages of "
                "`requirements-tracing.txt`, whose other variables apply. Without it, nothing is traced.",
                example="http://127.0.0.1:4318",
            ),
        ),
    ),
    Group(
        "Development",
        (
            Setting(
                "DEBUG",
                Kind.SWITCH,
                "Whether error pages show a traceback. Never set it on a host that others can reach.",
                default="0",
            ),
            Setting(
                "PORT", Kind.PORT, "The port of the server that `python3 run.py` starts.", default="8000"
            ),
        ),
    ),
)

# Read by the memory allocators on Linux, not by this project: a worker returns the memory that it has freed.
ALLOCATORS = {
    # The GNU C library, for Python.
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TRIM_THRESHOLD_": "131072",
    "MALLOC_MMAP_THRESHOLD_": "65536",
    # jemalloc, for granian. Each of its arenas would keep the memory of a large response.
    "_RJEM_MALLOC_CONF": "narenas:1",
}

SETTINGS = {setting.name: setting for group in GROUPS for setting in group.settings}

# Libraries that read the same variables, such as prometheus_client, would take an empty one for set.
for _name in SETTINGS:
    if os.environ.get(_name) == "":
        del os.environ[_name]


def is_demonstration() -> bool:
    """Whether the registry runs as a demonstration, with the embedded PostgreSQL."""
    return not os.environ.get("DATABASE_URL")


def is_set(name: str) -> bool:
    """Whether a declared environment variable has a value of its own, not its default."""
    return bool(os.environ.get(SETTINGS[name].name))


def read(name: str) -> Any:
    """The value of a declared environment variable; raises ImproperlyConfigured if it is missing or malformed."""
    setting = SETTINGS[name]
    if text := os.environ.get(name):
        return setting.parse(text)
    if is_demonstration() and setting.demonstration is not None:
        return setting.parse(setting.demonstration)
    if setting.required and not is_demonstration():
        raise ImproperlyConfigured(
            f"Set {name} in the environment (see docs/configuration.md): it is required with DATABASE_URL."
        )
    return setting.parse(setting.default)
