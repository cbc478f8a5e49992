"""The personal data of registers: who opened and reviews them, requests with their discussion, and contacts of entries."""

from registry.accounts.erasure import Erasure, PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.accounts.models import User
from registry.registers.models import Entry, EntryRequest, Register, RequestComment, Reviewer


@holds_personal_data
class RegisterData(PersonalDataHolder):
    """The address and the note of the person's requests are erased; what is registered stays, under the number of the account."""

    addresses = ((EntryRequest, "contact"), (Entry, "contact"))
    texts = (
        TextColumns("registers", Register.objects, "title guidance suspension_reason"),
        TextColumns("requests for entries", EntryRequest.objects, "title reference contact note reason"),
        TextColumns("comments on requests for entries", RequestComment.objects, "text"),
        TextColumns("contacts of entries", Entry.objects, "contact"),
    )

    def close(self, account: User) -> None:
        account.reviewed_registers.all().delete()

    def erase(self, erasure: Erasure) -> None:
        account = erasure.account
        if account is None:
            return
        erasure.delete("reviewers of registers", Reviewer.objects.filter(user=account))
        requests = EntryRequest.objects.filter(requested_by=account).exclude(contact="", note="", reason="")
        erasure.note("contacts and notes of requests", requests.update(contact="", note="", reason=""))
        entries = Entry.objects.filter(person=account).exclude(contact="")
        erasure.note("contacts of entries", entries.update(contact=""))


exports(Register, "namespace_id policy entry_name title guidance opened_at", of="opened_by")
exports(Reviewer, "register_id named_at", of="user")
exports(
    EntryRequest,
    "register_id label title reference contact note state requested_at decided_at reason",
    of="requested_by",
    not_of="decided_by",
)
exports(RequestComment, "request_id text created_at", of="author")
exports(Entry, "register_id subnamespace_id contact", of="person")
