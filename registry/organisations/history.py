"""The events of organisations in the audit log, with their labels and details. Only members read them, but for recoveries."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet

from registry.audit_log.details import Detail, private
from registry.audit_log.models import Event
from registry.organisations.models import Membership, Organisation, Part


class Verb(StrEnum):
    """The events of organisations."""

    CREATE = "create_organisation"
    DESCRIBE = "describe_organisation"
    INVITE = "invite_member"
    ACCEPT = "accept_membership"
    DECLINE = "decline_membership"
    WITHDRAW = "withdraw_membership_invitation"
    CHANGE_PART = "change_part"
    REMOVE = "remove_member"
    LEAVE = "leave_organisation"
    RESTORE = "restore_representative"
    VERIFY_DOMAIN = "verify_domain"
    LOSE_DOMAIN = "lose_domain"
    REMOVE_DOMAIN = "remove_domain"


ORGANISATION = Detail(
    "organisation", int, "The number of the organisation that is the registrant, or that has changed."
)
PART = Detail("part", str, "The part of the member in the organisation.")
DOMAIN = Detail("domain", str, "The domain of the organisation.")
PERSON = private("person", int)


@dataclass(frozen=True, slots=True)
class OrganisationEvent:
    """A type of event of an organisation. The names in braces of the label are details."""

    label: str
    details: tuple[Detail, ...]


EVENT_TYPES = {
    Verb.CREATE: OrganisationEvent("Created the organisation", (ORGANISATION,)),
    Verb.DESCRIBE: OrganisationEvent("Changed the name or the homepage", (ORGANISATION,)),
    Verb.INVITE: OrganisationEvent("Invited a person as {part}", (ORGANISATION, PART)),
    Verb.ACCEPT: OrganisationEvent("Became {part}", (ORGANISATION, PART, PERSON)),
    Verb.DECLINE: OrganisationEvent("Declined the invitation", (ORGANISATION, PART)),
    Verb.WITHDRAW: OrganisationEvent("Withdrew an invitation", (ORGANISATION, PART)),
    Verb.CHANGE_PART: OrganisationEvent(
        "Changed the part of {person} to {part}", (ORGANISATION, PART, PERSON)
    ),
    Verb.REMOVE: OrganisationEvent("Removed {person}", (ORGANISATION, PART, PERSON)),
    Verb.LEAVE: OrganisationEvent("Left the organisation", (ORGANISATION, PART, PERSON)),
    # A public event, of the namespace whose claim was approved (registry.namespaces.history).
    Verb.RESTORE: OrganisationEvent(
        "Made {person} a representative, because no representative could be reached", (ORGANISATION, PERSON)
    ),
    Verb.VERIFY_DOMAIN: OrganisationEvent("Verified the domain {domain}", (ORGANISATION, DOMAIN)),
    Verb.LOSE_DOMAIN: OrganisationEvent(
        "Lost the domain {domain}: its proof was missing", (ORGANISATION, DOMAIN)
    ),
    Verb.REMOVE_DOMAIN: OrganisationEvent("Removed the verified domain {domain}", (ORGANISATION, DOMAIN)),
}


def history_of(organisation: Organisation) -> QuerySet[Event]:
    """The events of an organisation, latest first."""
    events = Event.objects.filter(verb__in=[*Verb], details__organisation=organisation.pk)
    return events.order_by("-number").select_related("actor")


def names_in_history(organisation: Organisation) -> dict[int, str]:
    """The display names of the members and former members, by the keys of their accounts."""
    known = Membership.objects.filter(organisation=organisation).select_related("user")
    return {each.user_id: str(each.user) for each in known}


def event_label(event: Event, names: Mapping[int, str]) -> str:
    """The label of an event, with the display name of the member whom it concerns, who is among `names`."""
    person = names.get(event.details.get("person", 0), "")
    details = event.details
    part = Part(details["part"]).label if "part" in details else ""
    domain = details.get("domain", "")
    return EVENT_TYPES[Verb(event.verb)].label.format(part=part, person=person, domain=domain)
