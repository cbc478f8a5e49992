"""The personal data of registers: who opened and reviews them, and requests with their discussion."""

from django.db.models import Q
from django.db.models.functions import Lower

from registry.accounts.erasure import Erasure, PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.accounts.models import User
from registry.custody.personal_data import concerned_namespaces
from registry.namespaces.models import Namespace
from registry.registers.actions.requests import withdraw_request
from registry.registers.models import (
    Entry,
    EntryRequest,
    Register,
    ReplacedRegister,
    RequestComment,
    RequestState,
    Reviewer,
)


@holds_personal_data
class RegisterData(PersonalDataHolder):
    """Undecided requests end with the account. Erased are the texts that only few people read, the values of
    requests that did not become entries, and the person as a contact.

    What is registered stays, under the number of the account.
    """

    addresses = ((EntryRequest, "contact"),)
    texts = (
        TextColumns("registers", Register.objects, "title guidance fields suspension_reason"),
        TextColumns("earlier versions of registers", ReplacedRegister.objects, "title guidance fields"),
        TextColumns(
            "requests for entries", EntryRequest.objects, "title reference fields contact note reason"
        ),
        TextColumns("comments on requests for entries", RequestComment.objects, "text"),
    )

    def lock(self, account: User, *, to_erase: bool) -> None:
        """The namespaces of undecided requests, with those that `registry.custody` locks after this, in one order."""
        requested = EntryRequest.objects.undecided().filter(requested_by=account)
        concerned = concerned_namespaces(account) | Q(pk__in=requested.values("register__namespace"))
        list(Namespace.objects.filter(concerned).order_by("pk").select_for_update().values_list("pk"))

    def close(self, account: User) -> None:
        _withdraw_requests(account)
        Reviewer.objects.filter(membership__user=account).delete()

    def erase(self, erasure: Erasure) -> None:
        named = EntryRequest.objects.alias(address=Lower("contact")).filter(
            address__in=erasure.person.addresses
        )
        erasure.note("contacts of requests for entries", named.update(contact=""))
        account = erasure.account
        if account is None:
            return
        erasure.note("undecided requests for entries", _withdraw_requests(account))
        erasure.delete("reviewers of registers", Reviewer.objects.filter(membership__user=account))
        own = EntryRequest.objects.filter(requested_by=account).exclude(contact="", note="", reason="")
        erasure.note("texts of requests for entries", own.update(contact="", note="", reason=""))
        # Those of an accepted request are public with its entry.
        private = EntryRequest.objects.filter(requested_by=account).exclude(state=RequestState.ACCEPTED)
        erasure.note("values of requests for entries", private.exclude(fields={}).update(fields={}))
        comments = RequestComment.objects.filter(author=account).exclude(text="")
        erasure.note("comments on requests for entries", comments.update(text=""))


def _withdraw_requests(account: User) -> int:
    undecided = list(EntryRequest.objects.undecided().filter(requested_by=account).order_by("register", "pk"))
    for request in undecided:
        withdraw_request(request, by=None)
    return len(undecided)


exports(Register, "namespace_id policy title guidance fields opened_at", of="opened_by")
exports(Reviewer, "register_id named_at", about=lambda person: Q(membership__user=person))
exports(
    EntryRequest,
    "register_id register_version label title reference fields contact note state requested_at decided_at reason",
    of="requested_by",
    not_of="decided_by",
)
exports(RequestComment, "request_id text created_at", of="author")
exports(Entry, "register_id subnamespace_id", of="person")
