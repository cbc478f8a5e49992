"""What the record says of a namespace, in words. What was said in its cases is told on their pages."""

from dataclasses import dataclass, fields

from django.db.models import QuerySet

from registry.audit_log.history import HistoryLine, corrections_among
from registry.audit_log.models import Event
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.rules.naming_rules import Rules

# The verbs of a namespace's own events; the names in braces are details of the event.
EVENT_LABELS = {
    "assign": "Registered, version {version}",
    "import": "IANA's registry: {outcome}",
    "import_text": "Text of version {version} imported",
    "deprecate": "Deprecated",
    "set_rules": "Rules for names {outcome}, version {version}",
    "offer_transfer": "Offered to another registrant",
    "accept_transfer": "Transferred to another registrant",
    "refuse_transfer": "Offer refused",
    "take_back_transfer": "Offer withdrawn",
    "correct": "Corrected event {corrects}",
}


@dataclass(frozen=True, slots=True)
class NamespaceLine(HistoryLine):
    """One event of a namespace, in words."""

    @property
    def remark(self) -> str:
        """What an import noticed, and in a file of which day."""
        return event_remark(self.event)

    @property
    def rules(self) -> Rules | None:
        """The rules that were set."""
        if self.event.verb != "set_rules":
            return None
        return Rules(**{each.name: self.event.details[each.name] for each in fields(Rules)})

    @property
    def successor(self) -> str:
        return str(self.event.details.get("successor", ""))


def history_of(namespace: Namespace) -> list[NamespaceLine]:
    """The events of a namespace, the latest first."""
    events = Event.objects.of_namespace(namespace.nid).filter(verb__in=EVENT_LABELS)
    return _lines(events.order_by("-number"))


def history_of_transfer(transfer: Transfer) -> list[NamespaceLine]:
    """What happened to one offer, in order."""
    events = Event.objects.of_namespace(transfer.namespace.nid).filter(details__transfer=transfer.pk)
    return _lines(events.order_by("number"))


def _lines(events: QuerySet[Event]) -> list[NamespaceLine]:
    found = list(events.select_related("actor"))
    corrected = corrections_among(found)
    return [NamespaceLine(event, event_label(event), corrected.get(event.number, ())) for event in found]


def event_label(event: Event) -> str:
    """What happened, in a few words."""
    return EVENT_LABELS[event.verb].format(**event.details)


def event_remark(event: Event) -> str:
    """What an import noticed, and in a file of which day; "" of any other event."""
    as_of, words = (event.details.get(name) for name in ("as_of", "message"))
    return "; ".join(filter(None, [as_of and f"as of {as_of}", words]))
