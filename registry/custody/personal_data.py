"""The personal data of claims, which are the evidence and the reasons of decisions, and of contacts."""

from django.db.models import Q
from django.db.models.functions import Lower

from registry.accounts.erasure import Erasure, PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.accounts.models import User
from registry.custody.actions.contact import forget_contact
from registry.custody.models import NamespaceClaim, NamespaceContact
from registry.namespaces.models import Namespace, Transfer


@holds_personal_data
class CustodyData(PersonalDataHolder):
    """The texts of all claims of the person and their contacts are erased. Undecided claims end with the account."""

    addresses = ((NamespaceContact, "email"),)
    texts = (
        TextColumns("claims of namespaces", NamespaceClaim.objects, "statement links reason"),
        TextColumns("contacts of namespaces", NamespaceContact.objects, "name email"),
    )

    def lock(self, account: User, *, to_erase: bool) -> None:
        concerned = Namespace.objects.filter(concerned_namespaces(account)).order_by("pk")
        list(concerned.select_for_update().values_list("pk"))

    def erase(self, erasure: Erasure) -> None:
        contacts = NamespaceContact.objects.alias(address=Lower("email"))
        named = list(contacts.filter(address__in=erasure.person.addresses).select_related("namespace"))
        for contact in named:
            forget_contact(contact)
            erasure.changes(contact.namespace, nid=contact.namespace.nid)
        erasure.note("contacts of namespaces", len(named))
        if erasure.account is None:
            return
        written = NamespaceClaim.objects.filter(claimant=erasure.account).exclude(statement="")
        erasure.note("evidence of claims", written.update(statement="", links=[], reason=""))


def concerned_namespaces(account: User) -> Q:
    """Whether a namespace is one that the account has, offers, is offered or claims."""
    claims = NamespaceClaim.objects.undecided().filter(claimant=account)
    offers = Transfer.objects.waiting().concerning(account)
    return Q(registrant=account) | Q(pk__in=claims.values("namespace")) | Q(pk__in=offers.values("namespace"))


# The registrant, who is named too, may not read the evidence.
exports(
    NamespaceClaim,
    "namespace_id organisation_id is_recovery ground statement links status "
    "claimed_at announced_at objections_until ended_at reason",
    of="claimant",
    not_of="announced_by registrant decided_by",
)
