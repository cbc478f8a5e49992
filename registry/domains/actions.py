"""Actions on the domains of organisations."""

from datetime import timedelta
from http import HTTPStatus

from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.actions.parameters import Text
from registry.core.exceptions import RegistryError
from registry.core.validators import check_text, shortened
from registry.domains.models import MAX_DOMAIN_LENGTH, OVERDUE, OrganisationDomain
from registry.domains.subjects import DOMAIN, mail_about_domain
from registry.domains.tasks import defer_check
from registry.organisations.event_details import DOMAIN as DOMAIN_NAME
from registry.organisations.event_details import ORGANISATION as ORGANISATION_NUMBER
from registry.organisations.models import Organisation
from registry.organisations.permissions import ONLY_REPRESENTATIVES, represents, represents_its_organisation
from registry.organisations.subjects import ORGANISATION
from urnsyntax.profiles.services.hosts import fault_of_host


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


MAX_DOMAINS = 10
BETWEEN_CHECKS = timedelta(minutes=1)


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
    limit="checks of domains",
    refusals=(CheckedJustNow,),
    needs_confirmed_address=False,
)
REMOVE_DOMAIN = Action[OrganisationDomain](
    name="remove_domain",
    label="Remove",
    effect="The domain is no longer verified.",
    success=lambda domain: f"{domain} was removed.",
    past="Removed the verified domain {domain}",
    details=(ORGANISATION_NUMBER, DOMAIN_NAME),
    is_public=False,
    permission=represents_its_organisation,
    not_permitted=ONLY_REPRESENTATIVES,
    gravity=Gravity.CONTROL,
    is_grave=True,
    needs_confirmed_address=False,
    notify=mail_about_domain,
)


# The actions on a domain, by the parts of their addresses, in the order of the buttons.
ACTIONS = {"check": REQUEST_CHECK, "remove": REMOVE_DOMAIN}


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
        defer_check(domain.pk, context.actor.pk)


@performs(REMOVE_DOMAIN, DOMAIN)
def remove_domain(context: ActionContext[OrganisationDomain]) -> None:
    """Remove a domain, which is then no longer verified."""
    domain = context.subject
    context.is_recorded = domain.is_verified
    OrganisationDomain.objects.filter(pk=domain.pk).delete()


def _checked(text: str) -> str:
    domain = check_text(text, "the domain", argument="domain").lower().removesuffix(".")
    if len(domain) > MAX_DOMAIN_LENGTH or fault_of_host(domain):
        fault = "It is too long." if len(domain) > MAX_DOMAIN_LENGTH else fault_of_host(domain)
        raise InvalidDomain(
            f"“{shortened(text, 30)}” is not a domain. {fault} Write it as example.org, without https:// and a path; other "
            "letters than ASCII in their encoded form (xn--…)."
        )
    return domain
