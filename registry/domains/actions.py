"""Actions on the domains of organisations, and the checks of their proofs.

A check asks other servers, so it is made by the worker, outside of a transaction; only its outcome is recorded in one.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.accounts.models import User, addresses
from registry.actions.declarations import Action, ActionContext, EventType, SubjectType
from registry.actions.engine import performs
from registry.actions.parameters import Text
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_text, shortened
from registry.domains.models import CHECKED_FOR, GRACE, MAX_DOMAIN_LENGTH, OrganisationDomain
from registry.domains.tasks import defer_check
from registry.mail import outbox
from registry.organisations.actions.organisations import lock_belongings, record_domain
from registry.organisations.event_details import DOMAIN as DOMAIN_NAME
from registry.organisations.event_details import ORGANISATION as ORGANISATION_NUMBER
from registry.organisations.event_details import Verb
from registry.organisations.models import MemberRole, Organisation, members_of
from registry.organisations.notifications import notify
from registry.organisations.permissions import ONLY_REPRESENTATIVES, represents, represents_its_organisation
from registry.organisations.queries import get_represented_organisation
from registry.organisations.subjects import ORGANISATION, lock_organisation
from urnsyntax.profiles.services.hosts import fault_of_host

if TYPE_CHECKING:
    from registry.domains.proof import Outcome


class InvalidDomain(RegistryError):
    """The text is not the name of a public host in ASCII, such as `example.org`."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Not a domain"


class DomainPresent(RegistryError):
    """The organisation has named this domain already."""

    title = "Already added"


class TooManyDomains(RegistryError):
    """The organisation has named as many domains as it may."""

    title = "Too many domains"


class CheckedJustNow(RegistryError):
    """A domain is checked at most once a minute."""

    title = "Checked just now"


def get_domain(user: User, organisation: int, number: int) -> OrganisationDomain:
    """Raises NotPermitted unless `user` represents the organisation, and it has this domain."""
    domain = get_represented_organisation(user, organisation).domains.filter(pk=number).first()
    if domain is None:
        raise NotPermitted(f"The organisation has no domain {number}.")
    return domain


def notify_of_domain(event: Event, domain: OrganisationDomain) -> None:
    """Mail that a domain is verified, or no longer."""
    notify(event, domain.organisation, domain=domain)


def warn_of_domain(domain: OrganisationDomain) -> None:
    """Mail that the proof of a verified domain is missing, and until when it is looked for."""
    context = {"organisation": domain.organisation, "domain": domain}
    people = members_of(domain.organisation_id, [MemberRole.REPRESENTATIVE])
    outbox.post("domain_failing", to=addresses(people), context=context)


MAX_DOMAINS = 10
BETWEEN_CHECKS = timedelta(minutes=1)
# A requested check that the worker did not make, such as after a crash.
OVERDUE = timedelta(minutes=10)


class DomainSubject(SubjectType[OrganisationDomain]):
    """The domain is read again under the locks of its organisation, and of what shows its domains."""

    def lock(self, subject: OrganisationDomain, by: User | None) -> OrganisationDomain:
        lock_belongings(subject.organisation)
        organisation = lock_organisation(subject.organisation)
        found = organisation.domains.filter(pk=subject.pk).first()
        if found is None:
            raise NotPermitted(f"“{subject}” is no longer a domain of “{organisation.name}”.")
        found.organisation = organisation
        return found

    def members(self, subject: OrganisationDomain) -> Mapping[str, Any]:
        return {"organisation": subject.organisation_id, "domain": subject.domain}

    def record(self, context: ActionContext[OrganisationDomain]) -> None:
        """A change of a verified domain is an event of the organisation and of its namespaces."""
        domain = context.subject
        record_domain(domain.organisation, by=context.by, domain=domain.domain)
        super().record(context)


def _mail_about_domain(event: Event, context: ActionContext[OrganisationDomain]) -> None:
    notify_of_domain(event, context.subject)


DOMAIN = DomainSubject()
ADD_DOMAIN = Action[Organisation](
    name="add_domain",
    label="Add a domain",
    button="Add the domain",
    effect="The page then shows what to publish, so that the registry can verify the domain.",
    success=lambda domain: f"{domain} was added. Publish its proof, then check it.",
    is_logged=False,
    permission=represents,
    not_permitted=ONLY_REPRESENTATIVES,
    gravity=Gravity.CONTROL,
    limit="domains",
    parameters=(
        Text(
            "domain",
            "Domain",
            "Such as example.org.",
            lines=1,
            max_length=MAX_DOMAIN_LENGTH,
            is_identifier=True,
        ),
    ),
    refusals=(InvalidDomain, DomainPresent, TooManyDomains),
    needs_confirmed_address=False,
)
REQUEST_CHECK = Action[OrganisationDomain](
    name="request_check",
    operation_id="checkDomain",
    label="Check now",
    effect="The registry looks for the proof within a minute.",
    success=lambda domain: f"{domain} is checked within a minute. Reload this page then.",
    is_logged=False,
    permission=represents_its_organisation,
    not_permitted=ONLY_REPRESENTATIVES,
    gravity=Gravity.ORDINARY,
    refusals=(CheckedJustNow,),
    needs_confirmed_address=False,
)
REMOVE_DOMAIN = Action[OrganisationDomain](
    name=Verb.REMOVE_DOMAIN,
    label="Remove",
    effect="The domain is then no longer verified.",
    success=lambda domain: f"{domain} was removed.",
    past="Removed the verified domain {domain}",
    details=(ORGANISATION_NUMBER, DOMAIN_NAME),
    is_public=False,
    permission=represents_its_organisation,
    not_permitted=ONLY_REPRESENTATIVES,
    gravity=Gravity.CONTROL,
    is_grave=True,
    needs_confirmed_address=False,
    notify=_mail_about_domain,
)
# What the worker finds out.
VERIFY_DOMAIN, LOSE_DOMAIN = (
    EventType(
        name=name,
        past=past,
        details=(ORGANISATION_NUMBER, DOMAIN_NAME),
        is_public=False,
        notify=_mail_about_domain,
    )
    for name, past in (
        (Verb.VERIFY_DOMAIN, "Verified the domain {domain}"),
        (Verb.LOSE_DOMAIN, "Lost the domain {domain}: its proof was missing"),
    )
)
EVENT_TYPES = (VERIFY_DOMAIN, LOSE_DOMAIN, REMOVE_DOMAIN)


@performs(ADD_DOMAIN, ORGANISATION)
def add_domain(context: ActionContext[Organisation], *, domain: str) -> OrganisationDomain:
    """Name a domain, and make the code that proves it."""
    organisation = context.subject
    domain = _checked(domain)
    if organisation.domains.filter(domain=domain).exists():
        raise DomainPresent(f"“{domain}” is already a domain of “{organisation.name}”.")
    if organisation.domains.count() >= MAX_DOMAINS:
        raise TooManyDomains(f"An organisation can name {MAX_DOMAINS} domains. Remove one first.")
    return OrganisationDomain.objects.create(organisation=organisation, domain=domain)


@performs(REQUEST_CHECK, DOMAIN)
def request_check(context: ActionContext[OrganisationDomain]) -> None:
    """Ask the worker to look for the proof."""
    domain, now = context.subject, timezone.now()
    if domain.checked_at and now - domain.checked_at < BETWEEN_CHECKS:
        raise CheckedJustNow("This domain was checked less than a minute ago. Try again in a minute.")
    if domain.check_requested_at is None or now - domain.check_requested_at >= OVERDUE:
        domain.check_requested_at = now
        domain.save(update_fields=["check_requested_at"])
        defer_check(domain.pk)


@performs(REMOVE_DOMAIN, DOMAIN)
def remove_domain(context: ActionContext[OrganisationDomain]) -> None:
    """Remove a domain, which is then no longer verified."""
    domain = context.subject
    context.is_recorded = domain.is_verified
    OrganisationDomain.objects.filter(pk=domain.pk).delete()


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


def _checked(text: str) -> str:
    domain = check_text(text, "the domain", argument="domain").lower().removesuffix(".")
    if len(domain) > MAX_DOMAIN_LENGTH or fault_of_host(domain):
        fault = "It is too long." if len(domain) > MAX_DOMAIN_LENGTH else fault_of_host(domain)
        raise InvalidDomain(
            f"“{shortened(text, 30)}” is not a domain. {fault} Write it as example.org, without https:// and a path; other "
            "letters than ASCII in their encoded form (xn--…)."
        )
    return domain
