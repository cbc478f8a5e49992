"""Checks of domains: looking for the proof, a TXT record or a file on its web server, and recording the outcome.

A check asks other servers, so only the worker makes it, outside of a transaction; its outcome is recorded in one.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from registry.actions.declarations import ActionContext, EventType
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.outgoing.dns_lookups import txt_records
from registry.core.outgoing.https_requests import RequestLimits, request
from registry.domains.models import CHECKED_FOR, GRACE, OVERDUE, Method, OrganisationDomain
from registry.domains.subjects import DOMAIN, LOSE_DOMAIN, VERIFY_DOMAIN, warn_of_domain

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


def check_domain(key: int) -> None:
    """Look for the proof of a domain, and record the outcome. Call it outside of a transaction."""
    domain = OrganisationDomain.objects.filter(pk=key).first()
    if domain is not None:
        record_check(domain, look_for_proof(domain))


@transaction.atomic
def record_check(domain: OrganisationDomain, outcome: Outcome) -> None:
    """Record the outcome of a check, with an event if the domain is now verified, or no longer."""
    try:
        domain = DOMAIN.lock(domain, None)
    except NotPermitted:  # removed since it was read
        return
    domain.checked_at, domain.check_requested_at, domain.failure = timezone.now(), None, outcome.failure
    if outcome.method:
        _succeed(domain, outcome)
    elif domain.is_verified:
        _fail(domain)
    else:
        domain.save()


def check_due_domains(now: datetime | None = None, *, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Check the domains whose check is due, and return the number of checks. `should_stop` is asked before each."""
    now = now or timezone.now()
    verified = Q(verified_at__isnull=False)
    is_due = verified & Q(failing_since=None, checked_at__lte=now - CHECKED_FOR)
    is_due |= verified & Q(failing_since__isnull=False, checked_at__lte=now - timedelta(hours=12))
    is_due |= Q(check_requested_at__lte=now - OVERDUE)
    keys = list(
        OrganisationDomain.objects.filter(is_due)
        .order_by(F("checked_at").asc(nulls_first=True), "pk")
        .values_list("pk", flat=True)
    )
    for checked, key in enumerate(keys):
        if should_stop():
            return checked
        check_domain(key)
    return len(keys)


def _succeed(domain: OrganisationDomain, outcome: Outcome) -> None:
    is_new = not domain.is_verified
    domain.verified_at = domain.verified_at or domain.checked_at
    domain.method, domain.failing_since = outcome.method or "", None
    domain.save()
    if is_new:
        _record(VERIFY_DOMAIN, domain)


def _fail(domain: OrganisationDomain) -> None:
    """Begin the time of grace of a verified domain, or end it."""
    now = domain.checked_at or timezone.now()
    if domain.failing_since is None:
        domain.failing_since = now
        domain.save()
        warn_of_domain(domain)
    elif now - domain.failing_since >= GRACE:
        domain.verified_at, domain.method, domain.failing_since = None, "", None
        domain.save()
        _record(LOSE_DOMAIN, domain)
    else:
        domain.save()


def _record(event_type: EventType, domain: OrganisationDomain) -> None:
    DOMAIN.record(ActionContext(domain, None, event_type, result=domain))
