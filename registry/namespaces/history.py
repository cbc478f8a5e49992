"""The history of a namespace and of its transfers, from the audit log. Cases have their own history."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol, runtime_checkable

from django.apps import apps
from django.db.models import QuerySet

from registry.actions.declarations import EventType, by_name, events_in
from registry.audit_log.history import (
    CORRECTION,
    CORRECTION_DETAILS,
    CORRECTION_LABEL,
    ROUND,
    VERSION,
    Detail,
    HistoryLine,
    corrections_among,
    private,
)
from registry.audit_log.leaves import FORMAT_CHANGE
from registry.audit_log.models import Event
from registry.namespaces.actions import MODULES
from registry.namespaces.actions.transfers import MOVE_TO_ORGANISATION
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.subjects import AS_OF, FORMER, IMPORTED_FILE, OUTCOME
from registry.organisations.event_details import DOMAIN, ORGANISATION

# The event types of this app and of imports, beside those of actions. Also an event of the case, whose round is registered.
ASSIGN = EventType(name="assign", past="Registered, version {version}", details=(VERSION, ROUND))
RENAME_ORGANISATION = EventType(
    name="rename_organisation", past="Organisation renamed", details=(ORGANISATION,)
)
EVENT_TYPES = (
    ASSIGN,
    EventType(
        name="import",
        past="IANA's registry: {outcome}",
        details=(OUTCOME, AS_OF, Detail("message", str, "Explains the outcome."), private("changes", dict)),
    ),
    EventType(
        name="import_text",
        past="Text of version {version} imported",
        details=(VERSION, private("file", str), private("form", str), private("sha256", str)),
    ),
    *events_in(*MODULES),
    EventType(name="release_namespace", past="Left without a registrant", details=(FORMER,)),
    MOVE_TO_ORGANISATION,
    RENAME_ORGANISATION,
    EventType(
        name="change_domains",
        past="Verified domains of the organisation changed: {domain}",
        details=(ORGANISATION, DOMAIN),
    ),
    EventType(name="erase_personal_data", past="Personal data erased"),
    EventType(name="import_iana", past="IANA's registry imported", details=(AS_OF, *IMPORTED_FILE)),
    EventType(name=CORRECTION, past=CORRECTION_LABEL, details=CORRECTION_DETAILS),
    EventType(
        name=FORMAT_CHANGE,
        past="Events of the audit log have format {format} from now on",
        details=(
            Detail("former_format", int, "The format of the events before this one."),
            Detail("format", int, "The format of this event and of later ones."),
        ),
    ),
)


@runtime_checkable
class HasNamespaceEvents(Protocol):
    """The AppConfig of an app with events of namespaces."""

    def namespace_events(self) -> Iterable[EventType]: ...


@cache
def event_types() -> Mapping[str, EventType]:
    """The types of the events of namespaces and imports, of all apps, by name. Django's apps must be ready."""
    configs = [each for each in apps.get_app_configs() if isinstance(each, HasNamespaceEvents)]
    return by_name(each for config in configs for each in config.namespace_events())


@dataclass(frozen=True, slots=True)
class NamespaceLine(HistoryLine):
    """One line of the history of a namespace."""

    @property
    def remark(self) -> str:
        """The date of the imported file and the message of the import; "" for other events."""
        return event_remark(self.event)

    @property
    def changed_keys(self) -> str:
        """The keys of the profile that the event changed in a later version; "" for other events."""
        details = self.event.details
        is_change = self.event.verb == "set_profile" and details["version"] > 1
        return ", ".join(details["changed"]) if is_change and details["outcome"] == "set" else ""

    @property
    def successor(self) -> str:
        return str(self.event.details.get("successor", ""))


def history_of(namespace: Namespace) -> list[NamespaceLine]:
    """The events of a namespace, latest first."""
    events = Event.objects.of_namespace(namespace.nid).filter(verb__in=[*event_types()])
    return _lines(events.with_proofs().order_by("-number"))


def history_of_transfer(transfer: Transfer) -> list[NamespaceLine]:
    """The events of a transfer, in order."""
    return history_with(transfer.namespace, transfer=transfer.pk)


def history_with(namespace: Namespace, **details: int) -> list[NamespaceLine]:
    """The events of a namespace with these details, in order."""
    about = {f"details__{name}": value for name, value in details.items()}
    events = Event.objects.of_namespace(namespace.nid).filter(**about)
    return _lines(events.order_by("number"))


def _lines(events: QuerySet[Event]) -> list[NamespaceLine]:
    found = list(events.select_related("actor"))
    corrected = corrections_among(found)
    return [NamespaceLine(event, event_label(event), corrected.get(event.number, ())) for event in found]


def event_label(event: Event) -> str:
    """The label of an event, with its details."""
    return event_types()[event.verb].line_of(event)


def event_remark(event: Event) -> str:
    """The date of the imported file and the message of the import; "" for other events."""
    as_of, message = (event.details.get(name) for name in ("as_of", "message"))
    return "; ".join(filter(None, [as_of and f"as of {as_of}", message]))
