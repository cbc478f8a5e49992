"""Actions on namespaces: `deprecate/`, `contact/`, `transfers/` below one, and moves to an organisation."""

from functools import partial
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.framework.actions import (
    RequestField,
    action_method,
    action_view,
    action_views,
    description_of,
    request_field,
)
from registry.api.framework.fields import StrictCharField, StrictSerializer, nid_field, parse_number
from registry.api.framework.methods import token_operation
from registry.api.framework.pagination import chosen_entries, list_of, sparse_query
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.serializers import ContactSerializer, NamespaceLinkSerializer
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.organisations.views import ORGANISATION, find_represented
from registry.api.schema.operations import NID, POSITIVE_INTEGER, path_parameter
from registry.custody.actions.contact import CHANGE_CONTACT, CONFIRM_CONTACT
from registry.custody.models import NamespaceContact
from registry.namespaces.actions import transfers
from registry.namespaces.actions.deprecation import DEPRECATE
from registry.namespaces.actions.transfers import MOVE_TO_ORGANISATION
from registry.namespaces.inputs import NamespaceChoice
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.queries import NotRegistered, get_namespace, get_transfer

BY_ADMINISTRATORS = "Only the registrant can do this. An administrator can do this, too; the token then also needs the scope `decide`."


def _rendered_contact(contact: NamespaceContact, user: User) -> Any:
    return ContactSerializer(contact).data


_view = partial(
    action_view,
    find=lambda user, nid: registered_or_404(nid),
    render=_rendered_contact,
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


@extend_schema_field({"type": "string"})
class NamespaceByNIDField(serializers.Field[Namespace, str, str, Any]):
    """A registered namespace, by its NID in any case of letters."""

    def to_internal_value(self, data: Any) -> Namespace:
        try:
            return get_namespace(str(data).lower())
        except NotRegistered as fault:
            raise serializers.ValidationError(str(fault)) from fault

    def to_representation(self, value: Namespace) -> str:
        return value.nid


@request_field.register
def _(parameter: NamespaceChoice) -> RequestField:
    return NamespaceByNIDField(required=False, help_text=description_of(parameter))


class DeprecatedNamespaceSerializer(serializers.Serializer[Namespace]):
    """A namespace after its deprecation."""

    nid = nid_field()
    deprecated_at = serializers.DateTimeField(help_text="The time of the deprecation.")
    statement = serializers.CharField(
        source="deprecation_statement",
        help_text="The reason for the deprecation, and advice for users of the namespace.",
    )
    successor = serializers.CharField(
        source="successor.nid",
        allow_null=True,
        help_text="The namespace to use for new names; null if there is none.",
    )
    links = NamespaceLinkSerializer(source="*", help_text="Related addresses.")


DeprecateNamespaceView = action_view(
    DEPRECATE,
    lambda user, nid: registered_or_404(nid),
    lambda namespace, user: DeprecatedNamespaceSerializer(namespace).data,
    response=DeprecatedNamespaceSerializer,
    summary="Deprecate a namespace",
    refusals=(NamespaceUnknown,),
    parameters=(NID,),
    links={"namespace": ("getNamespace", OF_NAMESPACE)},
)


MAX_MOVED = 100


class MoveNamespacesRequestSerializer(StrictSerializer):
    """The namespaces to move. Case is ignored."""

    nids = serializers.ListField(
        child=StrictCharField(),
        min_length=1,
        max_length=MAX_MOVED,
        source="namespaces",
        help_text="The NIDs, in any case of letters.",
    )

    def validate_nids(self, nids: list[str]) -> list[Namespace]:
        return [registered_or_404(nid) for nid in nids]


class MovedNamespaceSerializer(serializers.Serializer[Namespace]):
    """A namespace that belongs to the organisation now."""

    nid = nid_field()
    url = LinkField("namespace", nid="nid", help_text="The address.")


class MovedNamespaceListSerializer(serializers.Serializer[Any]):
    """The namespaces that were moved."""

    results = MovedNamespaceSerializer(many=True, help_text="The namespaces.")


MoveNamespacesView = action_view(
    MOVE_TO_ORGANISATION,
    find_represented,
    lambda moved, user: MovedNamespaceListSerializer({"results": moved}).data,
    request=MoveNamespacesRequestSerializer,
    response=MovedNamespaceListSerializer,
    about=(
        "The organisation, which the user represents, becomes the registrant of namespaces of the user: of all that are "
        "named, or of none. To move one to an organisation of others, offer a transfer."
    ),
    refusals=(NamespaceUnknown,),
    parameters=(ORGANISATION,),
    links={"namespace": ("getNamespace", {"nid": "$response.body#/results/0/nid"})},
)


OF_TRANSFER = {**OF_NAMESPACE, "number": "$response.body#/number"}
TRANSFER_NUMBER = path_parameter("number", "TransferNumber", "The number of an offer.", 1, **POSITIVE_INTEGER)


class TransferLinksSerializer(serializers.Serializer[Transfer]):
    """Addresses related to an offer."""

    html = PageLinkField()
    namespace = LinkField("namespace", nid="namespace.nid", help_text="The address of the namespace.")


# Of the columns of every kind of offer.
OFFER_KWARGS = {
    "offered_at": {"help_text": "The time of the offer."},
    "ended_at": {
        "help_text": "The time at which the offer was accepted, declined or withdrawn; null while it is open."
    },
    "is_accepted": {"help_text": "Whether the offer was accepted."},
}


class TransferSerializer(serializers.ModelSerializer[Transfer]):
    """The offer of a namespace to another registrant. `actions` is empty unless the offer is open."""

    number = serializers.IntegerField(source="pk", help_text="The number of the offer.")
    nid = nid_field(source="namespace.nid")
    offered_by = serializers.CharField(help_text="The display name of the person who made the offer.")
    to = serializers.CharField(source="email", help_text="The address to which the namespace is offered.")
    actions = serializers.SerializerMethodField(
        help_text="The addresses of the actions that the user may take; empty unless the offer is open."
    )
    links = TransferLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = Transfer
        fields = (
            "number",
            "nid",
            "offered_by",
            "to",
            "offered_at",
            "ended_at",
            "is_accepted",
            "actions",
            "links",
        )
        read_only_fields = fields
        extra_kwargs = OFFER_KWARGS

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_actions(self, transfer: Transfer) -> dict[str, str]:
        if not transfer.is_waiting:
            return {}
        arguments = {"nid": transfer.namespace.nid, "number": transfer.pk}
        return {name: api_url(f"{name}-transfer", **arguments) for name in transfers.ANSWERS}


TransferListSerializer = list_of(
    TransferSerializer, "The offers of one namespace that the owner of the token is a party to, oldest first."
)


TransferQuerySerializer = sparse_query(TransferSerializer, always="number")


def _rendered_transfer(transfer: Transfer, user: User) -> Any:
    return TransferSerializer(transfer).data


def _found(user: User, nid: str, number: str) -> Transfer:
    return get_transfer(user, registered_or_404(nid), parse_number(number))


class TransfersView(TokenAPIView):
    """Offer a namespace to another registrant, and see the offers."""

    query = TransferQuerySerializer

    @token_operation(
        "listTransfers",
        "Your offers of a namespace",
        scope=Scope.READ,
        response=TransferListSerializer,
        about="The offers to you or by you. That and how offers ended is public in the history of the namespace.",
        refusals=(NamespaceUnknown,),
        parameters=(NID,),
        links={"history": ("listNamespaceEvents", OF_NAMESPACE)},
    )
    def get(self, request: Request, nid: str) -> Response:
        offers = registered_or_404(nid).transfers.visible_to(self.user)
        seen = offers.select_related("namespace", "offered_by").order_by("pk")
        return Response(chosen_entries(TransferListSerializer({"results": seen}), self.parameters))

    post = action_method(
        transfers.OFFER_TRANSFER,
        lambda user, nid: registered_or_404(nid),
        _rendered_transfer,
        response=TransferSerializer,
        status=HTTPStatus.CREATED,
        summary="Offer a namespace to another registrant",
        about=(
            f"{transfers.OFFER_TRANSFER.effect} If the namespace has no registrant, an administrator offers it. The token "
            "then also needs the scope `decide`."
        ),
        refusals=(NamespaceUnknown,),
        parameters=(NID,),
        links={name: (each.operation_id, OF_TRANSFER) for name, each in transfers.ANSWERS.items()},
    )


ANSWER_VIEWS = action_views(
    transfers.ANSWERS,
    _found,
    _rendered_transfer,
    response=TransferSerializer,
    summary="{} of a namespace",
    refusals=(NamespaceUnknown,),
    parameters=(NID, TRANSFER_NUMBER),
    links={"namespace": ("getNamespace", OF_NAMESPACE), "offer": ("offerTransfer", OF_NAMESPACE)},
)
