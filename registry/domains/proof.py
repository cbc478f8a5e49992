"""Looking for the proof of a domain: a TXT record, or a file on its web server. Only the worker does it."""

from collections.abc import Callable
from typing import NamedTuple

from registry.core.exceptions import RegistryError
from registry.core.outgoing.dns_texts import txt_records
from registry.core.outgoing.https_requests import RequestLimits, request
from registry.domains.models import Method, OrganisationDomain

LIMITS = RequestLimits(connect=5, wait=5, total=10, body=4096)
HEADERS = {"User-Agent": "urn-registry", "Accept": "text/plain"}


class Outcome(NamedTuple):
    """The method that proved a domain; without one, what was found instead."""

    method: Method | None
    failure: str = ""


def look_for_proof(domain: OrganisationDomain) -> Outcome:
    """Look for the text in the DNS, then on the web server. Uses no transaction."""
    failures = []
    for method, find in FINDERS.items():
        try:
            found = find(domain)
        except RegistryError as refusal:
            failures.append(str(refusal))
            continue
        if domain.proof in found:
            return Outcome(method)
        failures.append(f"{_place(method, domain)} does not have the text “{domain.proof}”.")
    return Outcome(None, " ".join(failures))


def _records(domain: OrganisationDomain) -> list[str]:
    return [each.strip() for each in txt_records(domain.record_name)]


def _lines(domain: OrganisationDomain) -> list[str]:
    """The lines of the file. Redirects are not followed."""
    reply = request("GET", domain.file_address, HEADERS, LIMITS)
    text = reply.body.decode("utf-8", "replace") if reply.status == 200 else ""
    return [line.strip() for line in text.splitlines()]


def _place(method: Method, domain: OrganisationDomain) -> str:
    return f"The TXT record {domain.record_name}" if method is Method.DNS else domain.file_address


FINDERS: dict[Method, Callable[[OrganisationDomain], list[str]]] = {Method.DNS: _records, Method.WEB: _lines}
