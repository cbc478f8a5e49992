"""The history of a namespace and of its transfers, from the audit log. Cases have their own history."""

from dataclasses import dataclass

from django.db.models import QuerySet

from registry.audit_log.history import CORRECTION, CORRECTION_LABEL, HistoryLine, corrections_among
from registry.audit_log.models import Event
from registry.namespaces.models import Namespace, Transfer

# The labels of events of namespaces and imports, by verb; the names in braces are details of the event.
EVENT_LABELS = {
    "assign": "Registered, version {version}",
    "import": "IANA's registry: {outcome}",
    "import_text": "Text of version {version} imported",
    "deprecate": "Deprecated",
    "set_profile": "Profile {outcome}, version {version}",
    "confirm_host": "Host {host} confirmed",
    "withdraw_host": "Host {host} withdrawn",
    "offer_transfer": "Offered to another registrant",
    "accept_transfer": "Transferred to another registrant",
    "refuse_transfer": "Offer refused",
    "withdraw_transfer": "Offer withdrawn",
    "release_namespace": "Left without a registrant",
    "import_iana": "IANA's registry imported",
    CORRECTION: CORRECTION_LABEL,
}


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
    events = Event.objects.of_namespace(namespace.nid).filter(verb__in=EVENT_LABELS)
    return _lines(events.order_by("-number"))


def history_of_transfer(transfer: Transfer) -> list[NamespaceLine]:
    """The events of a transfer, in order."""
    events = Event.objects.of_namespace(transfer.namespace.nid).filter(details__transfer=transfer.pk)
    return _lines(events.order_by("number"))


def _lines(events: QuerySet[Event]) -> list[NamespaceLine]:
    found = list(events.select_related("actor"))
    corrected = corrections_among(found)
    return [NamespaceLine(event, event_label(event), corrected.get(event.number, ())) for event in found]


def event_label(event: Event) -> str:
    """The label of an event, with its details."""
    return EVENT_LABELS[event.verb].format(**event.details)


def event_remark(event: Event) -> str:
    """The date of the imported file and the message of the import; "" for other events."""
    as_of, message = (event.details.get(name) for name in ("as_of", "message"))
    return "; ".join(filter(None, [as_of and f"as of {as_of}", message]))
