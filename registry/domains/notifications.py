"""Mails about domains to the representatives, created in the transaction of the change."""

from registry.accounts.models import addresses
from registry.audit_log.models import Event
from registry.domains.models import OrganisationDomain
from registry.mail import outbox
from registry.organisations.models import Part, members_of
from registry.organisations.notifications import notify


def notify_of_domain(event: Event, domain: OrganisationDomain) -> None:
    """Mail that a domain is verified, or no longer."""
    notify(event, domain.organisation, domain=domain)


def warn_of_domain(domain: OrganisationDomain) -> None:
    """Mail that the proof of a verified domain is missing, and until when it is looked for."""
    context = {"organisation": domain.organisation, "domain": domain}
    people = members_of(domain.organisation_id, [Part.REPRESENTATIVE])
    outbox.post("domain_failing", to=addresses(people), context=context)
