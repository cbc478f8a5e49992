"""The history of a namespace and of its transfers, from the audit log. Cases have their own history."""

from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet

from registry.audit_log.details import ROUND, VERSION, Detail, private
from registry.audit_log.history import (
    CORRECTION,
    CORRECTION_DETAILS,
    CORRECTION_LABEL,
    HistoryLine,
    corrections_among,
)
from registry.audit_log.models import Event
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.history import DOMAIN, ORGANISATION, PERSON

TRANSFER = private("transfer", int)
FORMER = private("former", int)
# The registrant is a person or an organisation, from now on and before.
NEW_REGISTRANT = (
    PERSON.optional,
    ORGANISATION.optional,
    FORMER,
    Detail("former_organisation", int, "The number of the organisation that was the registrant.").optional,
)
CLAIM = private("claim", int)
HOST = Detail("host", str, "The host of a resolution service.")
OUTCOME = Detail("outcome", str, "What an import did with an entry, or whether a profile was set or removed.")
AS_OF = Detail("as_of", date, "The date of the imported file.")
IMPORTED_FILE = (
    private("file", str),
    private("formal", int),
    private("informal", int),
    private("counts", dict),
    private("head", list),
    private("left_aside", list).optional,
)


@dataclass(frozen=True, slots=True)
class NamespaceEvent:
    """A type of event of a namespace, or of an import. The names in braces of the label are details."""

    label: str
    details: tuple[Detail, ...] = ()


# The events of namespaces and imports, by verb.
EVENT_TYPES = {
    # Also an event of the case, whose round is registered.
    "assign": NamespaceEvent("Registered, version {version}", (VERSION, ROUND)),
    "import": NamespaceEvent(
        "IANA's registry: {outcome}",
        (OUTCOME, AS_OF, Detail("message", str, "Explains the outcome."), private("changes", dict)),
    ),
    "import_text": NamespaceEvent(
        "Text of version {version} imported",
        (VERSION, private("file", str), private("form", str), private("sha256", str)),
    ),
    "deprecate": NamespaceEvent(
        "Deprecated", (Detail("successor", str, "The NID of the namespace to use instead."),)
    ),
    "set_profile": NamespaceEvent(
        "Profile {outcome}, version {version}",
        (VERSION, OUTCOME, Detail("changed", list, "The keys of the profile that changed.")),
    ),
    "confirm_host": NamespaceEvent(
        "Host {host} confirmed", (HOST, Detail("basis", str, "What the confirmation is based on."))
    ),
    "withdraw_host": NamespaceEvent("Host {host} withdrawn", (HOST,)),
    "offer_transfer": NamespaceEvent("Offered to another registrant", (TRANSFER,)),
    "accept_transfer": NamespaceEvent("Transferred to another registrant", (TRANSFER, *NEW_REGISTRANT)),
    "decline_transfer": NamespaceEvent("Offer declined", (TRANSFER,)),
    "withdraw_transfer": NamespaceEvent("Offer withdrawn", (TRANSFER,)),
    "release_namespace": NamespaceEvent("Left without a registrant", (FORMER,)),
    "move_to_organisation": NamespaceEvent("Moved to an organisation of the registrant", NEW_REGISTRANT),
    "rename_organisation": NamespaceEvent("Organisation renamed", (ORGANISATION,)),
    "change_domains": NamespaceEvent(
        "Verified domains of the organisation changed: {domain}", (ORGANISATION, DOMAIN)
    ),
    "erase_personal_data": NamespaceEvent("Personal data erased"),
    "announce_claim": NamespaceEvent(
        "Claim announced: objections until {until}",
        (CLAIM, Detail("until", date, "The day from which the claim can be approved.")),
    ),
    "object_to_claim": NamespaceEvent("Objection: the claim ended", (CLAIM,)),
    "approve_claim": NamespaceEvent("Claim approved: new registrant", (CLAIM, *NEW_REGISTRANT)),
    "restore_representative": NamespaceEvent(
        "Claim approved: the organisation has another representative", (CLAIM, ORGANISATION, PERSON)
    ),
    "change_contact": NamespaceEvent("Contact changed"),
    "confirm_contact": NamespaceEvent("Contact confirmed"),
    "contact_unverified": NamespaceEvent("Contact not confirmed for a year"),
    "import_iana": NamespaceEvent("IANA's registry imported", (AS_OF, *IMPORTED_FILE)),
    CORRECTION: NamespaceEvent(CORRECTION_LABEL, CORRECTION_DETAILS),
}
EVENT_LABELS = {verb: each.label for verb, each in EVENT_TYPES.items()}


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
