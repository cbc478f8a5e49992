"""`namespaces/{nid}/transfers/`: offers of a namespace: make, accept, decline or withdraw it."""

from http import HTTPStatus
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.framework.fields import StrictCharField, StrictSerializer, parse_number
from registry.api.framework.pagination import chosen_entries, sparse_query
from registry.api.framework.permissions import check_scope
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.organisations.fields import OrganisationChoiceSerializer, with_organisation
from registry.api.schema.operations import NID, POSITIVE_INTEGER, path_parameter
from registry.api.schema.token_operations import OPTIONAL_TEXT_PROBLEMS, token_operation, write_operation
from registry.core.validators import InvalidAddress, TextMissing
from registry.namespaces import permissions
from registry.namespaces.forms.changes import OfferTransferForm
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
        return {name: api_url(f"{name}-transfer", **arguments) for name in transfers.DECISIONS}


class TransferListSerializer(serializers.Serializer[Any]):
    """The offers of one namespace that the owner of the token is a party to, oldest first."""

    results = TransferSerializer(many=True)


TransferQuerySerializer = sparse_query(TransferSerializer, always="number")


class OfferTransferRequestSerializer(StrictSerializer):
    """The recipient of an offer, and its reason."""

    to = StrictCharField(help_text="The address of the new registrant, which may belong to no account.")
    reason = StrictCharField(default="")


class TransferDecisionRequestSerializer(StrictSerializer):
    """A decision that can have a reason."""

    reason = StrictCharField(default="")


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

    @write_operation(
        "offerTransfer",
        "Offer a namespace to another registrant",
        action=transfers.offer_transfer,
        request=OfferTransferRequestSerializer,
        response=TransferSerializer,
        status=HTTPStatus.CREATED,
        about=(
            f"{OfferTransferForm.effect} If the namespace has no registrant, an administrator offers it. The token "
            "then also needs the scope `decide`."
        ),
        refusals=(
            NamespaceUnknown,
            transfers.InvalidRecipient,
            transfers.TransferNotOpen,
            InvalidAddress,
            TextMissing,
            *OPTIONAL_TEXT_PROBLEMS,
        ),
        parameters=(NID,),
        links={name: (f"{name}Transfer", OF_TRANSFER) for name in transfers.DECISIONS},
    )
    def post(self, request: Request, nid: str) -> Response:
        namespace = registered_or_404(nid)
        transfers.check_may_offer_transfer(namespace, by=self.user)
        if not permissions.is_registrant(self.user, namespace):
            check_scope(request, Scope.DECIDE)
        body = self.validated_data(OfferTransferRequestSerializer)
        transfer = transfers.offer_transfer(namespace, by=self.user, **body)
        return Response(TransferSerializer(transfer).data, HTTPStatus.CREATED)


class TransferDecisionView(TokenAPIView):
    """Decide on an offer."""

    decision: ClassVar[transfers.TransferDecision]
    body: ClassVar[type[StrictSerializer]]

    def perform(self, nid: str, number: str) -> Response:
        transfer = self._get_transfer(nid, number)
        if self._needs_role(transfer):
            check_scope(self.request, Scope.DECIDE)
        body = self.validated_data(self.body)
        if not self.decision.takes_reason:
            body = with_organisation(body, self.user)
        self.decision.action(transfer, by=self.user, **body)
        return Response(TransferSerializer(self._get_transfer(nid, number)).data)

    def _get_transfer(self, nid: str, number: str) -> Transfer:
        return get_transfer(self.user, registered_or_404(nid), parse_number(number))

    def _needs_role(self, transfer: Transfer) -> bool:
        """Whether an administrator withdraws the offer of another one, of a namespace without a registrant."""
        is_own = transfer.offered_by_id == self.user.pk or permissions.is_registrant(
            self.user, transfer.namespace
        )
        return self.decision is transfers.WITHDRAW_TRANSFER and not is_own


def _decision_view(decision: transfers.TransferDecision) -> type[TransferDecisionView]:
    body = TransferDecisionRequestSerializer if decision.takes_reason else OrganisationChoiceSerializer
    operation = write_operation(
        f"{decision.name}Transfer",
        f"{decision.label} of a namespace",
        action=decision.action,
        request=body,
        response=TransferSerializer,
        about=decision.effect,
        refusals=(
            NamespaceUnknown,
            transfers.TransferNotOpen,
            *(OPTIONAL_TEXT_PROBLEMS if decision.takes_reason else ()),
        ),
        parameters=(NID, TRANSFER_NUMBER),
        links={"namespace": ("getNamespace", OF_NAMESPACE), "offer": ("offerTransfer", OF_NAMESPACE)},
    )

    def post(self: TransferDecisionView, request: Request, nid: str, number: str) -> Response:
        return self.perform(nid, number)

    attributes = {
        "decision": decision,
        "body": body,
        "post": operation(post),
        "__doc__": f"{decision.label}.",
    }
    return type(f"{decision.name.title()}TransferView", (TransferDecisionView,), attributes)


DECISION_VIEWS = {name: _decision_view(decision) for name, decision in transfers.DECISIONS.items()}
