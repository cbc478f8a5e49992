"""`namespaces/{nid}/transfers/`: offers of a namespace: make, accept, decline or withdraw it."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.framework.actions import action_method, action_view
from registry.api.framework.fields import parse_number
from registry.api.framework.pagination import chosen_entries, sparse_query
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID, POSITIVE_INTEGER, path_parameter
from registry.api.schema.token_operations import token_operation
from registry.namespaces import permissions
from registry.namespaces.models import Transfer
from registry.namespaces.queries import get_transfer
from registry.namespaces.services import transfers

OF_TRANSFER = {**OF_NAMESPACE, "number": "$response.body#/number"}
TRANSFER_NUMBER = path_parameter("number", "TransferNumber", "The number of an offer.", 1, **POSITIVE_INTEGER)


class TransferLinksSerializer(serializers.Serializer[Transfer]):
    """Addresses related to an offer."""

    html = PageLinkField()
    namespace = LinkField("namespace", nid="namespace.nid")


class TransferSerializer(serializers.ModelSerializer[Transfer]):
    """The offer of a namespace to another registrant. `actions` is empty unless the offer is open."""

    number = serializers.IntegerField(source="pk")
    nid = serializers.CharField(source="namespace.nid")
    offered_by = serializers.CharField()
    to = serializers.CharField(source="email", help_text="The address to which the namespace is offered.")
    actions = serializers.SerializerMethodField()
    links = TransferLinksSerializer(source="*")

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

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_actions(self, transfer: Transfer) -> dict[str, str]:
        if not transfer.is_waiting:
            return {}
        arguments = {"nid": transfer.namespace.nid, "number": transfer.pk}
        return {name: api_url(f"{name}-transfer", **arguments) for name in transfers.ANSWERS}


class TransferListSerializer(serializers.Serializer[Any]):
    """The offers of one namespace that the owner of the token is a party to, oldest first."""

    results = TransferSerializer(many=True)


TransferQuerySerializer = sparse_query(TransferSerializer, always="number")


def _rendered(transfer: Transfer, user: User) -> Any:
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
        offers = registered_or_404(nid).transfers.select_related("namespace", "offered_by").order_by("pk")
        seen = [each for each in offers if permissions.may_see_transfer(self.user, each)]
        return Response(chosen_entries(TransferListSerializer({"results": seen}), self.parameters))

    post = action_method(
        transfers.OFFER_TRANSFER,
        lambda user, nid: registered_or_404(nid),
        _rendered,
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


ANSWER_VIEWS = {
    name: action_view(
        action,
        _found,
        _rendered,
        response=TransferSerializer,
        summary=f"{action.label} of a namespace",
        refusals=(NamespaceUnknown,),
        parameters=(NID, TRANSFER_NUMBER),
        links={"namespace": ("getNamespace", OF_NAMESPACE), "offer": ("offerTransfer", OF_NAMESPACE)},
    )
    for name, action in transfers.ANSWERS.items()
}
