"""The history of an organisation, from the audit log. Only members read it, but for recoveries."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Protocol, runtime_checkable

from django.apps import apps
from django.db.models import QuerySet

from registry.actions.declarations import EventType, by_name
from registry.audit_log.models import Event
from registry.organisations.models import MemberRole, Membership, Organisation


@runtime_checkable
class HasOrganisationEvents(Protocol):
    """The AppConfig of an app with events of organisations."""

    def organisation_events(self) -> Iterable[EventType]: ...


@cache
def event_types() -> Mapping[str, EventType]:
    """The types of the events of organisations, of all apps, by name. Django's apps must be ready."""
    configs = [each for each in apps.get_app_configs() if isinstance(each, HasOrganisationEvents)]
    return by_name(each for config in configs for each in config.organisation_events())


def history_of(organisation: Organisation) -> QuerySet[Event]:
    """The events of an organisation, latest first."""
    events = Event.objects.filter(verb__in=list(event_types()), details__organisation=organisation.pk)
    return events.order_by("-number").select_related("actor")


def names_in_history(organisation: Organisation) -> dict[int, str]:
    """The display names of the members and former members, by the keys of their accounts."""
    known = Membership.objects.filter(organisation=organisation).select_related("user")
    return {each.user_id: str(each.user) for each in known}


def event_label(event: Event, names: Mapping[int, str]) -> str:
    """The label of an event, with the display name of the member whom it concerns, who is among `names`."""
    details = event.details
    part = MemberRole(details["part"]).label if "part" in details else ""
    person = names.get(details.get("person", 0), "")
    return event_types()[event.verb].line_of(event, part=part, person=person)
