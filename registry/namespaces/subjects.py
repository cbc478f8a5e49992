"""What actions on namespaces, and on offers of them, are about."""

from collections.abc import Mapping
from typing import Any

from registry.accounts.models import User
from registry.actions.declarations import SubjectType
from registry.namespaces.models import Namespace, Transfer


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
