r"""NAPTR records of the namespaces with services, for the zone urn.arpa (RFC 3403, RFC 3404, RFC 3405).

A record is a rule of DDDS. It rewrites a URN to an address at this registry (RFC 2169), which judges the name, chooses
the service and redirects. So the records change only when a kind of service is added or removed, and they can have the
long lifetime of the records in uri.arpa.

RFC 3405 contains rules that refer to the second group of an expression with one group. Its errata 2687 and 2688 correct
"\2" to "\1", as in the published record of urn.uri.arpa: `"/urn:([^:]+)/\1/i"`. The rules here have one group as well, and
refer to it as "\1".
"""

import re
from collections.abc import Iterator

from django.conf import settings

from registry.core.exceptions import RegistryError
from registry.core.http.urls import public_url
from registry.core.validators import shortened
from registry.publication.formats.json_files import current_profiles
from urnsyntax.profiles.services.service import KINDS

ZONE = "urn.arpa."
TTL = 7 * 24 * 60 * 60
# Of rules with the same order, a client uses the first that has the kind of service that it wants.
ORDER = 100
PREFERENCES = {kind: 10 * number for number, kind in enumerate(KINDS, start=1)}
# The rewritten URN is an address, so no further rules follow (RFC 3404, Section 4.3).
TERMINAL = "u"
MAX_CHARACTER_STRING = 255  # octets (RFC 1035, Section 3.3)

HEAD = f"""\
; NAPTR records of URN namespaces with resolution services (RFC 3403, RFC 3404, RFC 3405).
; Include this file in the zone {ZONE.rstrip(".")}, which has its own SOA and NS records.
$ORIGIN {ZONE}
$TTL {TTL}
"""


class UnwritableRecord(RegistryError):
    """A NAPTR record cannot contain this text."""

    title = "The NAPTR records can't be written"


def format_naptr_records() -> Iterator[str]:
    """Yield a master file (RFC 1035, Section 5): for each namespace with services, a record for each of their kinds."""
    yield HEAD
    for (content,) in current_profiles():
        offered = {service["kind"] for service in content.get("services", ())}
        yield from (_record(content["nid"], kind) for kind in KINDS if kind in offered)


def _record(nid: str, kind: str) -> str:
    scheme = settings.PUBLIC_ORIGIN.partition(":")[0]
    fields = (
        f"{ORDER} {PREFERENCES[kind]}",
        *map(character_string, (TERMINAL, f"{scheme}+{kind}", substitution(nid, kind))),
        ".",
    )
    return f"{nid} IN NAPTR {' '.join(fields)}\n"


def substitution(nid: str, kind: str) -> str:
    r"""The rule that rewrites the URNs of a namespace (RFC 3402, Section 3.2). A NID has no special characters.

    >>> from django.test import override_settings
    >>> with override_settings(PUBLIC_ORIGIN="https://registry.example"):
    ...     print(substitution("ietf", "I2C"))
    !^(urn:ietf:.+)$!https://registry.example/uri-res/I2C?\1!i
    """
    address = public_url("resolution:uri_service", service=kind)
    literal = re.sub(r"[\\!]", r"\\\g<0>", address)
    return rf"!^(urn:{nid}:.+)$!{literal}?\1!i"


def character_string(text: str) -> str:
    r"""A text as a quoted character string of a master file (RFC 1035, Section 5.1).

    >>> print(character_string(r'!^(a)$!"\1"!'))
    "!^(a)$!\"\\1\"!"
    """
    if len(text) > MAX_CHARACTER_STRING or not re.fullmatch("[ -~]*", text):
        raise UnwritableRecord(
            f"“{shortened(text)}” has more than {MAX_CHARACTER_STRING} characters, or others than printable ASCII. "
            "Set a shorter PUBLIC_ORIGIN."
        )
    escaped = re.sub(r'["\\]', r"\\\g<0>", text)
    return f'"{escaped}"'
