"""Domains of organisations: add, check and remove. The only writers of `OrganisationDomain`.

A check asks other servers, so it is made by the worker, outside of a transaction; only its outcome is recorded in one.
"""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User
from registry.audit_log import log
from registry.core.exceptions import NotPermitted
from registry.core.rate_limits import limited
from registry.core.shortening import shortened
from registry.domains.exceptions import (
    CheckedJustNow,
    DomainPresent,
    InvalidDomain,
    TooManyDomains,
)
from registry.domains.models import CHECKED_FOR, GRACE, MAX_DOMAIN_LENGTH, OrganisationDomain
from registry.domains.notifications import notify_of_domain, warn_of_domain
from registry.domains.tasks import defer_check
from registry.organisations.history import Verb
from registry.organisations.models import Organisation
from registry.organisations.services.belongings import lock_belongings, record_domain
from registry.organisations.services.organisations import check_represents, lock_organisation
from urnsyntax.profiles.services.hosts import fault_of_host

if TYPE_CHECKING:
    from registry.domains.proof import Outcome

MAX_DOMAINS = 10
BETWEEN_CHECKS = timedelta(minutes=1)
# A requested check that the worker did not make, such as after a crash.
OVERDUE = timedelta(minutes=10)


@has_gravity(Gravity.CONTROL)
@limited("domains")
@transaction.atomic
def add_domain(organisation: Organisation, *, by: User, domain: str) -> OrganisationDomain:
    """Name a domain, and make the code that proves it."""
    organisation = lock_organisation(organisation)
    check_represents(organisation, by=by)
    domain = _checked(domain)
    if organisation.domains.filter(domain=domain).exists():
        raise DomainPresent(f"“{domain}” is already a domain of “{organisation.name}”.")
    if organisation.domains.count() >= MAX_DOMAINS:
        raise TooManyDomains(f"An organisation can name {MAX_DOMAINS} domains. Remove one first.")
    return OrganisationDomain.objects.create(organisation=organisation, domain=domain)


@transaction.atomic
def request_check(domain: OrganisationDomain, *, by: User) -> OrganisationDomain:
    """Ask the worker to look for the proof."""
    domain = _lock(domain)
    check_represents(domain.organisation, by=by)
    now = timezone.now()
    if domain.checked_at and now - domain.checked_at < BETWEEN_CHECKS:
        raise CheckedJustNow("This domain was checked less than a minute ago. Try again in a minute.")
    if domain.check_requested_at is None or now - domain.check_requested_at >= OVERDUE:
        domain.check_requested_at = now
        domain.save(update_fields=["check_requested_at"])
        defer_check(domain.pk)
    return domain


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def remove_domain(domain: OrganisationDomain, *, by: User) -> None:
    """Remove a domain, which is then no longer verified."""
    domain = _lock(domain)
    check_represents(domain.organisation, by=by)
    if domain.is_verified:
        _write(Verb.REMOVE_DOMAIN, domain, by=by)
    domain.delete()


def check_domain(key: int) -> None:
    """Look for the proof of a domain, and record the outcome. Only the worker calls this, outside of a transaction."""
    # Web processes load this module too, and none of them sends requests.
    from registry.domains.proof import look_for_proof

    domain = OrganisationDomain.objects.filter(pk=key).first()
    if domain is not None:
        record_check(domain, look_for_proof(domain))


@transaction.atomic
def record_check(domain: OrganisationDomain, outcome: "Outcome") -> None:
    """Record the outcome of a check, with an event if the domain is now verified, or no longer."""
    try:
        domain = _lock(domain)
    except NotPermitted:  # removed since it was read
        return
    domain.checked_at, domain.check_requested_at, domain.failure = timezone.now(), None, outcome.failure
    if outcome.method:
        _succeed(domain, outcome)
    elif domain.is_verified:
        _fail(domain)
    else:
        domain.save()


def check_due_domains(now: datetime | None = None) -> int:
    """Check the domains whose check is due, and return their number."""
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
    for key in keys:
        check_domain(key)
    return len(keys)


def _succeed(domain: OrganisationDomain, outcome: "Outcome") -> None:
    is_new = not domain.is_verified
    domain.verified_at = domain.verified_at or domain.checked_at
    domain.method, domain.failing_since = outcome.method or "", None
    domain.save()
    if is_new:
        _write(Verb.VERIFY_DOMAIN, domain, by=None)


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
        _write(Verb.LOSE_DOMAIN, domain, by=None)
    else:
        domain.save()


def _write(verb: Verb, domain: OrganisationDomain, *, by: User | None) -> None:
    record_domain(domain.organisation, by=by, domain=domain.domain)
    event = log.append(verb, by=by, organisation=domain.organisation_id, domain=domain.domain)
    notify_of_domain(event, domain)


def _lock(domain: OrganisationDomain) -> OrganisationDomain:
    """The domain, read again under the lock of its organisation. Raises NotPermitted if it was removed."""
    lock_belongings(domain.organisation)
    organisation = lock_organisation(domain.organisation)
    found = organisation.domains.filter(pk=domain.pk).first()
    if found is None:
        raise NotPermitted(f"“{domain}” is no longer a domain of “{organisation.name}”.")
    found.organisation = organisation
    return found


def _checked(text: str) -> str:
    domain = text.strip().lower().removesuffix(".")
    if len(domain) > MAX_DOMAIN_LENGTH or fault_of_host(domain):
        fault = "It is too long." if len(domain) > MAX_DOMAIN_LENGTH else fault_of_host(domain)
        raise InvalidDomain(
            f"“{shortened(text, 30)}” is not a domain. {fault} Write it as example.org, without https:// and a path; other "
            "letters than ASCII in their encoded form (xn--…)."
        )
    return domain
