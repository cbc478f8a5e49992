"""`namespaces/{nid}/contact/`: change and confirm the contact of a namespace beside its registered text."""

from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.framework.fields import EmptyRequestSerializer, StrictCharField, StrictSerializer
from registry.api.framework.permissions import check_scope
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.serializers import ContactSerializer
from registry.api.namespaces.views import NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID
from registry.api.schema.token_operations import TEXT_PROBLEMS, write_operation
from registry.core.validators import InvalidAddress
from registry.custody.services import contact
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import is_registrant

BY_ADMINISTRATORS = "An administrator can do this, too; the token then also needs the scope `decide`."


class ChangeContactRequestSerializer(StrictSerializer):
    """A contact, and the reason of the change. All are public."""

    name = StrictCharField(help_text="A person or a function.")
    email = StrictCharField(help_text="The e-mail address of the contact.")
    reason = StrictCharField(help_text="Why the contact changes.")


class ContactAPIView(TokenAPIView):
    """A resource of the contact of one namespace, which only some people may change."""

    def namespace(self, nid: str) -> Namespace:
        """Raises NotPermitted, or ScopeMissing for an administrator whose token may not decide."""
        namespace = registered_or_404(nid)
        contact.check_may_change_contact(namespace, by=self.user)
        if not is_registrant(self.user, namespace):
            check_scope(self.request, Scope.DECIDE)
        return namespace


class ContactView(ContactAPIView):
    """Change the contact of a namespace."""

    @write_operation(
        "changeContact",
        "Change the contact of a namespace",
        action=contact.change_contact,
        request=ChangeContactRequestSerializer,
        response=ContactSerializer,
        about=(
            "Sets the contact beside the registered text, which stays. The former and the new contact get a mail. Only the "
            f"registrant can do this. {BY_ADMINISTRATORS}"
        ),
        refusals=(NamespaceUnknown, InvalidAddress, *TEXT_PROBLEMS),
        parameters=(NID,),
        links={"confirm": ("confirmContact", {"nid": "$request.path.nid"})},
    )
    def post(self, request: Request, nid: str) -> Response:
        namespace = self.namespace(nid)
        body = self.validated_data(ChangeContactRequestSerializer)
        return Response(ContactSerializer(contact.change_contact(namespace, by=self.user, **body)).data)


class ConfirmContactView(ContactAPIView):
    """Confirm the contact of a namespace."""

    @write_operation(
        "confirmContact",
        "Confirm the contact of a namespace",
        scope=Scope.WRITE,
        request=EmptyRequestSerializer,
        response=ContactSerializer,
        about=f"The contact is right, for another {contact.CONFIRMED_FOR.days} days. Only the registrant can do this. {BY_ADMINISTRATORS}",
        refusals=(NamespaceUnknown,),
        parameters=(NID,),
    )
    def post(self, request: Request, nid: str) -> Response:
        namespace = self.namespace(nid)
        self.validated_data(EmptyRequestSerializer)
        return Response(ContactSerializer(contact.confirm_contact(namespace, by=self.user)).data)
