"""What actions on namespaces are about, and the details of their events."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from registry.accounts.models import User
from registry.actions.declarations import SubjectType
from registry.audit_log.history import Detail, private
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.event_details import ORGANISATION, PERSON

TRANSFER = private("transfer", int)
FORMER = private("former", int)
# The registrant is a person or an organisation, from now on and before.
NEW_REGISTRANT = (
    PERSON.optional,
    ORGANISATION.optional,
    FORMER,
    Detail(
        "former_organisation",
        int,
        "The number of the organisation that was the registrant, or held the entry.",
    ).optional,
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


class NamespaceSubject(SubjectType[Namespace]):
    def lock(self, subject: Namespace, by: User | None) -> Namespace:
        return Namespace.objects.select_for_update().get(pk=subject.pk)

    def members(self, subject: Namespace) -> Mapping[str, Any]:
        return {"nid": subject.nid}

    def mark_changed(self, subject: Namespace) -> None:
        subject.mark_changed()


class OfferSubject(SubjectType[Transfer]):
    """The offer and its namespace are locked."""

    def lock(self, subject: Transfer, by: User | None) -> Transfer:
        namespace = NAMESPACE.lock(subject.namespace, by)
        offer = Transfer.objects.select_for_update().get(pk=subject.pk)
        offer.namespace = namespace
        return offer

    def members(self, subject: Transfer) -> Mapping[str, Any]:
        return {"nid": subject.namespace.nid, "transfer": subject.pk}

    def mark_changed(self, subject: Transfer) -> None:
        subject.namespace.mark_changed()


NAMESPACE, OFFER = NamespaceSubject(), OfferSubject()
