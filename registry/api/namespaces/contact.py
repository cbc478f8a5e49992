"""`namespaces/{nid}/contact/`: change and confirm the contact of a namespace beside its registered text."""

from functools import partial
from typing import Any

from registry.accounts.models import User
from registry.api.framework.actions import action_view
from registry.api.namespaces.serializers import ContactSerializer
from registry.api.namespaces.views import NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID
from registry.custody.models import NamespaceContact
from registry.custody.services.contact import CHANGE_CONTACT, CONFIRM_CONTACT

BY_ADMINISTRATORS = "Only the registrant can do this. An administrator can do this, too; the token then also needs the scope `decide`."


def _rendered(contact: NamespaceContact, user: User) -> Any:
    return ContactSerializer(contact).data


_view = partial(
    action_view,
    find=lambda user, nid: registered_or_404(nid),
    render=_rendered,
    response=ContactSerializer,
    refusals=(NamespaceUnknown,),
    parameters=(NID,),
)
ContactView = _view(
    CHANGE_CONTACT,
    summary="Change the contact of a namespace",
    about=(
        "Sets the contact beside the registered text, which stays. The former and the new contact get a mail. "
        f"{BY_ADMINISTRATORS}"
    ),
    links={"confirm": ("confirmContact", {"nid": "$request.path.nid"})},
)
ConfirmContactView = _view(
    CONFIRM_CONTACT,
    summary="Confirm the contact of a namespace",
    about=f"{CONFIRM_CONTACT.effect} {BY_ADMINISTRATORS}",
)
