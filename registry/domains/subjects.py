"""What actions on domains are about, the events of a check, and mails about them."""

from collections.abc import Mapping
from typing import Any

from registry.accounts.models import User, addresses
from registry.actions.declarations import ActionContext, EventType, SubjectType
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.domains.models import OrganisationDomain
from registry.mail import outbox
from registry.organisations.actions.organisations import lock_belongings, record_domain
from registry.organisations.event_details import DOMAIN as DOMAIN_NAME
from registry.organisations.event_details import ORGANISATION as ORGANISATION_NUMBER
from registry.organisations.models import MemberRole, members_of
from registry.organisations.notifications import notify
from registry.organisations.queries import get_represented_organisation
from registry.organisations.subjects import lock_organisation


def get_domain(user: User, pk: int, number: int) -> OrganisationDomain:
    """Raises NotPermitted unless `user` represents the organisation with this `pk`, and it has this domain."""
    domain = get_represented_organisation(user, pk).domains.filter(pk=number).first()
    if domain is None:
        raise NotPermitted(f"The organisation has no domain {number}.")
    return domain


def warn_of_domain(domain: OrganisationDomain) -> None:
    """Mail that the proof of a verified domain is missing, and until when it is looked for."""
    context = {"organisation": domain.organisation, "domain": domain}
    people = members_of(domain.organisation_id, [MemberRole.REPRESENTATIVE])
    outbox.post("domain_failing", to=addresses(people), context=context)


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


def mail_about_domain(event: Event, context: ActionContext[OrganisationDomain]) -> None:
    """Mail that a domain is verified, or no longer."""
    notify(event, context.subject.organisation, domain=context.subject)


DOMAIN = DomainSubject()
# What the worker finds out.
VERIFY_DOMAIN, LOSE_DOMAIN = (
    EventType(
        name=name,
        past=past,
        details=(ORGANISATION_NUMBER, DOMAIN_NAME),
        is_public=False,
        notify=mail_about_domain,
    )
    for name, past in (
        ("verify_domain", "Verified the domain {domain}"),
        ("lose_domain", "Lost the domain {domain}: its proof was missing"),
    )
)
