"""The personal data of namespaces: their registrants, and the contacts in registered templates."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeVar

from django.db.models import Model, QuerySet
from django.db.models.functions import Lower

from registry.accounts.erasure import Erasure, Person, PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.accounts.models import AddressedOffer, User, erased_address
from registry.namespaces.actions.registration import update_holder
from registry.namespaces.actions.transfers import decline_transfer, release_namespace
from registry.namespaces.models import Namespace, ProfileVersion, Revision, StoredTemplate, Transfer
from registry.namespaces.search_terms import forget_unused_words, unused_words
from registry.registration_template import commitments
from registry.registration_template.formatting import format_template
from registry.registration_template.sections import Registrant

# The fields about the contact person; the others are about the organisation.
CONTACT_FIELDS = frozenset({"contact_person", "email", "phone", "postal_address", "other"})
Row = TypeVar("Row", bound=Model)
Offer = TypeVar("Offer", bound=AddressedOffer)


@holds_personal_data
class NamespaceData(PersonalDataHolder):
    """Offers and namespaces of the person, and on request contact details in registered versions."""

    addresses = ((Transfer, "email"), (Revision, "content__registrant__email"))
    texts = (
        TextColumns("registered versions", Revision.objects, "text"),
        TextColumns("profiles", ProfileVersion.objects, "basis content"),
        TextColumns("namespaces", Namespace.objects, "holder deprecation_statement references", "nid"),
    )

    def erase(self, erasure: Erasure) -> None:
        received = replace_address_in_offers(Transfer.objects.all(), erasure, decline_transfer)
        erasure.note("offers of namespaces to the person", received)
        if erasure.account is not None:
            _release_namespaces(erasure.account, erasure)
        if erasure.with_texts:
            _erase_contacts(erasure)
            erasure.after_event.append(partial(forget_unused_words, *erasure.person.names))

    def look_for_rest(self, erasure: Erasure) -> None:
        if left := unused_words(*erasure.person.names):
            erasure.remains.append(f"words of searches: {', '.join(left)}")

    def left_to_do(self, account: User) -> Iterator[str]:
        for nid in Namespace.objects.filter(registrant=account).values_list("nid", flat=True):
            yield f"Hand on the namespace “{nid}”: offer its transfer on /namespaces/{nid}/."


def replace_address_in_offers(
    offers: QuerySet[Offer], erasure: Erasure, decline: Callable[..., object]
) -> int:
    """Replace the address in offers to the person, and decline the open ones. Returns how many there were."""
    account = erasure.account
    to_person = offers.alias(address=Lower("email")).filter(address__in=erasure.person.addresses)
    received = list(to_person.order_by("pk"))
    for offer in received:
        offer.email = account.email if account else erased_address()
        offer.save(update_fields=["email"])
        if offer.is_waiting and account:
            decline(offer, by=account, reason=erasure.reason)
    return len(received)


def _release_namespaces(account: User, erasure: Erasure) -> None:
    """An administrator can then offer the namespaces to another registrant."""
    for namespace in Namespace.objects.filter(registrant=account).order_by("nid"):
        release_namespace(namespace, reason=erasure.reason)
        erasure.note(f"the account as registrant of “{namespace.nid}”")


def _erase_contacts(erasure: Erasure) -> None:
    for row in naming(erasure.person, Revision.objects.select_related("namespace")):
        registrant = row.template.registrant
        if erase_contact(row, erasure):
            erasure.note(f"contact details in version {row.version} of “{row.namespace.nid}”")
            erasure.changes(row.namespace, nid=row.namespace.nid)
            erasure.after_event.append(partial(update_holder, row.namespace, erased=registrant))


# Contact details in stored templates, also for `registry.cases`.


def naming(person: Person, rows: "QuerySet[Row]", column: str = "content") -> "Iterator[Row]":
    """Yield the rows whose registrant, in the template in this column, may name the person."""
    yield from rows.filter(person.is_named_by(f"{column}__registrant")).order_by("pk").iterator()


def fields_about(person: Person, registrant: Registrant) -> set[str]:
    """The fields that name the person, and if that is the contact person, all contact details.

    If only the name is the same, and the e-mail address is another, the contact may be another person.
    """
    texts = commitments.texts_of(registrant)
    if texts.get("email") and not person.is_certainly_in(texts.values()):
        return set()
    about = {name for name, text in texts.items() if person.is_named_in(text)}
    return about | (CONTACT_FIELDS & texts.keys()) if about & {"contact_person", "email"} else about


def erase_contact(row: StoredTemplate, erasure: Erasure) -> bool:
    """Erase the fields of a submitted or registered template that are about the person, after the event."""
    template = row.template
    fields = fields_about(erasure.person, template.registrant)
    if not fields:
        return False
    registrant, committed = commitments.erase(template.registrant, row.commitments, fields)
    erased = replace(template, registrant=registrant)
    columns = {
        "content": row.content
        | {"registrant": row.content["registrant"] | dict.fromkeys(fields, commitments.ERASED)},
        "text": format_template(erased),
        "commitments": committed,
    }
    erasure.digests += [row.commitments[name]["digest"] for name in fields]
    erasure.after_event.append(partial(type(row)._default_manager.filter(pk=row.pk).update, **columns))
    return True


exports(
    Namespace,
    "nid kind holder purpose registered_on updated_on deprecated_at deprecation_statement",
    of="registrant",
)
exports(ProfileVersion, "namespace_id version content basis set_at", of="set_by")
exports(Transfer, "namespace_id email offered_at ended_at is_accepted", of="offered_by")
