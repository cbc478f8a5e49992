"""The personal data of registers: who opened and reviews them, who holds entries, offers of these, and requests with their
discussion.
"""

from collections.abc import Iterator

from django.db.models import Q
from django.db.models.functions import Lower

from registry.accounts.erasure import Erasure, PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.accounts.models import User, is_offered_to
from registry.custody.personal_data import concerned_namespaces
from registry.namespaces.models import Namespace
from registry.namespaces.personal_data import replace_address_in_offers
from registry.registers.actions.entries import release_entry, withdraw_lapsed_offer
from registry.registers.actions.requests import withdraw_request
from registry.registers.models import (
    Entry,
    EntryOffer,
    EntryRequest,
    Register,
    ReplacedRegister,
    RequestComment,
    RequestState,
    Reviewer,
)


@holds_personal_data
class RegisterData(PersonalDataHolder):
    """Undecided requests and open offers end with the account. Erased are the texts that only few people read, the values of
    requests that did not become entries, and the person as a contact.

    What is registered stays. Entries of an erased account go back to the holder of the register.
    """

    addresses = ((EntryRequest, "contact"), (Entry, "contact"), (EntryOffer, "email"))
    texts = (
        TextColumns("registers", Register.objects, "title guidance fields suspension_reason"),
        TextColumns("earlier versions of registers", ReplacedRegister.objects, "title guidance fields"),
        TextColumns(
            "requests for entries", EntryRequest.objects, "title reference fields contact note reason"
        ),
        TextColumns("comments on requests for entries", RequestComment.objects, "text"),
    )

    def lock(self, account: User, *, to_erase: bool) -> None:
        """The namespaces of undecided requests, of open offers and of entries, with those that `registry.custody` locks after
        this, in one order.
        """
        requested = EntryRequest.objects.undecided().filter(requested_by=account)
        offered = EntryOffer.objects.waiting().alias(address=Lower("email"))
        offered = offered.filter(Q(offered_by=account) | is_offered_to(account))
        concerned = concerned_namespaces(account) | Q(pk__in=requested.values("register__namespace"))
        concerned |= Q(pk__in=offered.values("entry__register__namespace"))
        if to_erase:
            concerned |= Q(pk__in=Entry.objects.filter(person=account).values("register__namespace"))
        list(Namespace.objects.filter(concerned).order_by("pk").select_for_update().values_list("pk"))

    def close(self, account: User) -> None:
        _withdraw_requests(account)
        Reviewer.objects.filter(membership__user=account).delete()

    def erase(self, erasure: Erasure) -> None:
        addresses = erasure.person.addresses
        of_requests = EntryRequest.objects.alias(address=Lower("contact")).filter(address__in=addresses)
        erasure.note("contacts of requests for entries", of_requests.update(contact=""))
        of_entries = Entry.objects.alias(address=Lower("contact")).filter(address__in=addresses)
        erasure.note("contacts of entries", of_entries.update(contact=""))
        received = replace_address_in_offers(EntryOffer.objects.with_places(), erasure, _end_offer)
        erasure.note("offers of entries to the person", received)
        account = erasure.account
        if account is None:
            return
        _release_entries(account, erasure)
        erasure.note("undecided requests for entries", _withdraw_requests(account))
        erasure.delete("reviewers of registers", Reviewer.objects.filter(membership__user=account))
        own = EntryRequest.objects.filter(requested_by=account).exclude(contact="", note="", reason="")
        erasure.note("texts of requests for entries", own.update(contact="", note="", reason=""))
        # Those of an accepted request are public with its entry.
        private = EntryRequest.objects.filter(requested_by=account).exclude(state=RequestState.ACCEPTED)
        erasure.note("values of requests for entries", private.exclude(fields={}).update(fields={}))
        comments = RequestComment.objects.filter(author=account).exclude(text="")
        erasure.note("comments on requests for entries", comments.update(text=""))

    def left_to_do(self, account: User) -> Iterator[str]:
        held = Entry.objects.with_places().filter(person=account, below__isnull=False)
        for entry in held.order_by("pk"):
            yield f"Hand on “{entry.name}”, below which you hold a register: offer it on {entry.get_absolute_url()}."


def _end_offer(offer: EntryOffer, *, by: User, reason: str) -> None:
    """The account can no longer decline it."""
    withdraw_lapsed_offer(offer, reason=reason)


def _release_entries(account: User, erasure: Erasure) -> None:
    """The holders of their registers can then offer the entries to others."""
    held = list(Entry.objects.with_places().filter(person=account).order_by("register__namespace", "pk"))
    for entry in held:
        release_entry(entry, reason=erasure.reason)
    erasure.note("the account as holder of entries", len(held))


def _withdraw_requests(account: User) -> int:
    undecided = list(EntryRequest.objects.undecided().filter(requested_by=account).order_by("register", "pk"))
    for request in undecided:
        withdraw_request(request, by=None)
    return len(undecided)


exports(Register, "namespace_id policy title guidance fields opened_at", of="opened_by")
exports(Reviewer, "register_id named_at", about=lambda person: Q(membership__user=person))
exports(
    EntryRequest,
    "register_id register_version entry_id replaces label title reference fields status successor contact note state requested_at "
    "decided_at reason",
    of="requested_by",
    not_of="decided_by",
)
exports(RequestComment, "request_id text created_at", of="author")
exports(Entry, "register_id subnamespace_id contact recall_ends_at kept_at", of="person")
exports(EntryOffer, "entry_id email offered_at ended_at is_accepted", of="offered_by")
