"""What happens to a namespace after its registration: deprecation, rules, and transfer to another registrant."""

from http import HTTPStatus
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.cases.token_serializers import DeprecatedNamespaceSerializer, TransferSerializer
from registry.api.cases.token_views import operation_id
from registry.api.cases.transitions import AccountByEmailField, RemarkRequestSerializer
from registry.api.framework.authentication import request_user
from registry.api.framework.fields import (
    EmptySerializer,
    StrictCharField,
    StrictSerializer,
    parse_number,
    validated_data,
)
from registry.api.framework.permissions import check_scope
from registry.api.framework.urls import absolute_url, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID
from registry.api.schema.token_operations import OPTIONAL_TEXT_PROBLEMS, TEXT_PROBLEMS, write_operation
from registry.core.exceptions import NotPermitted
from registry.namespaces import permissions
from registry.namespaces.forms.changes import DeprecateForm, OfferTransferForm, TransferDecisionForm
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.queries import NotRegistered, get_namespace
from registry.namespaces.services import deprecation, transfers

OF_TRANSFER = {**OF_NAMESPACE, "number": "$response.body#/number"}
TRANSFER_NUMBER = OpenApiParameter(
    "number",
    {"type": "integer", "minimum": 1},
    OpenApiParameter.PATH,
    description="The number of an offer.",
    examples=[OpenApiExample("the first offer", 1)],
)


@extend_schema_field({"type": "string"})
class NamespaceByNIDField(serializers.Field[Namespace, str, str, Any]):
    """A registered namespace, named by its NID in any case of letters."""

    def to_internal_value(self, data: Any) -> Namespace:
        try:
            return get_namespace(str(data).lower())
        except NotRegistered as fault:
            raise serializers.ValidationError(str(fault)) from fault

    def to_representation(self, value: Namespace) -> str:
        return value.nid


class DeprecateNamespaceRequestSerializer(StrictSerializer):
    statement = StrictCharField(help_text="Why, and what users of the namespace should do.")
    successor = NamespaceByNIDField(required=False, help_text="The NID to use for new names.")


class OfferTransferRequestSerializer(StrictSerializer):
    to = AccountByEmailField(help_text="The address of the new registrant's account.")
    reason = StrictCharField(default="")


class DeprecateNamespaceView(TokenAPIView):
    """`namespaces/{nid}/deprecate/`: mark a namespace deprecated, for ever."""

    @write_operation(
        "deprecateNamespace",
        "Deprecate a namespace",
        scope=Scope.DECIDE,
        request=DeprecateNamespaceRequestSerializer,
        answers=DeprecatedNamespaceSerializer,
        about=DeprecateForm.effect,
        refusals=(
            NamespaceUnknown,
            deprecation.AlreadyDeprecated,
            deprecation.InvalidSuccessor,
            *TEXT_PROBLEMS,
        ),
        parameters=(NID,),
        links={"namespace": ("getNamespace", OF_NAMESPACE)},
        sample={
            "statement": "The catalogue was closed. Its names stay valid.",
            "successor": "example-plants",
        },
    )
    def post(self, request: Request, nid: str) -> Response:
        by, namespace = request_user(request), registered_or_404(nid)
        deprecation.check_may_deprecate(namespace, by=by)
        namespace = deprecation.deprecate(
            namespace, by=by, **validated_data(request, DeprecateNamespaceRequestSerializer)
        )
        successor = namespace.successor
        return Response(
            {
                "nid": namespace.nid,
                "deprecated_at": namespace.deprecated_at,
                "statement": namespace.deprecation_statement,
                "successor": successor.nid if successor else None,
                "links": {"namespace": api_url("namespace", nid=namespace.nid)},
            }
        )


class OfferTransferView(TokenAPIView):
    """`namespaces/{nid}/transfers/`: offer a namespace to another registrant."""

    @write_operation(
        "offerTransfer",
        "Offer a namespace to another registrant",
        scope=Scope.WRITE,
        request=OfferTransferRequestSerializer,
        answers=TransferSerializer,
        status=HTTPStatus.CREATED,
        about=(
            f"{OfferTransferForm.effect} An administrator offers one that has no registrant, which needs the scope "
            "`decide` too."
        ),
        refusals=(
            NamespaceUnknown,
            transfers.InvalidRecipient,
            transfers.TransferNotOpen,
            *OPTIONAL_TEXT_PROBLEMS,
        ),
        parameters=(NID,),
        links={
            "accept": ("acceptTransfer", OF_TRANSFER),
            "refuse": ("refuseTransfer", OF_TRANSFER),
            "take back": ("takeBackTransfer", OF_TRANSFER),
        },
        sample={"to": "heir@example.org"},
    )
    def post(self, request: Request, nid: str) -> Response:
        by, namespace = request_user(request), registered_or_404(nid)
        transfers.check_may_offer_transfer(namespace, by=by)
        if not permissions.is_registrant(by, namespace):
            check_scope(request, Scope.DECIDE)
        transfer = transfers.offer_transfer(
            namespace, by=by, **validated_data(request, OfferTransferRequestSerializer)
        )
        return Response(transfer_to_json(transfer), HTTPStatus.CREATED)


class TransferAnswerView(TokenAPIView):
    """One offer, and what becomes of it: by the action of the name, with the body that it takes."""

    action: ClassVar[str]
    body: ClassVar[type[StrictSerializer]]

    def make(self, request: Request, nid: str, number: str) -> Response:
        by, transfer = request_user(request), _visible_transfer(nid, number)
        if not permissions.may_see_transfer(by, transfer):
            raise NotPermitted(f"This offer of “{transfer.namespace.nid}” does not concern you.")
        if _is_made_in_a_role(self.action, transfer, by):
            check_scope(request, Scope.DECIDE)
        getattr(transfers, self.action)(transfer, by=by, **validated_data(request, self.body))
        return Response(transfer_to_json(_visible_transfer(nid, number)))


def _is_made_in_a_role(action: str, transfer: Transfer, by: User) -> bool:
    """An administrator takes back what another one offered of a namespace without a registrant."""
    is_own = by.pk in {transfer.offered_by_id, transfer.namespace.registrant_id}
    return action == "take_back_transfer" and not is_own


def _answer_view(action: str, summary: str, body: type[StrictSerializer]) -> type[TransferAnswerView]:
    operation = write_operation(
        operation_id(action),
        summary,
        scope=Scope.WRITE,
        request=body,
        answers=TransferSerializer,
        about=TransferDecisionForm.SUCCESS_MESSAGES[action],
        refusals=(
            NamespaceUnknown,
            transfers.TransferNotOpen,
            *(OPTIONAL_TEXT_PROBLEMS if body is RemarkRequestSerializer else ()),
        ),
        parameters=(NID, TRANSFER_NUMBER),
        links={"namespace": ("getNamespace", OF_NAMESPACE), "offer": ("offerTransfer", OF_NAMESPACE)},
    )

    def post(self: TransferAnswerView, request: Request, nid: str, number: str) -> Response:
        return self.make(request, nid, number)

    name = "".join(part.capitalize() for part in action.split("_"))
    attributes = {"action": action, "body": body, "post": operation(post), "__doc__": f"{summary}."}
    return type(name, (TransferAnswerView,), attributes)


AcceptTransferView = _answer_view("accept_transfer", "Accept the offer of a namespace", EmptySerializer)
RefuseTransferView = _answer_view(
    "refuse_transfer", "Refuse the offer of a namespace", RemarkRequestSerializer
)
TakeBackTransferView = _answer_view(
    "take_back_transfer", "Take the offer of a namespace back", RemarkRequestSerializer
)


def _visible_transfer(nid: str, number: str) -> Transfer:
    offers = Transfer.objects.select_related("namespace", "to", "offered_by")
    transfer = offers.filter(pk=parse_number(number), namespace=registered_or_404(nid)).first()
    if transfer is None:
        raise NotPermitted(f"There is no offer {number} of “{nid}”.")
    return transfer


def transfer_to_json(transfer: Transfer) -> dict[str, Any]:
    nid, number = transfer.namespace.nid, transfer.pk
    answers = ("accept", "refuse", "take-back") if transfer.is_waiting else ()
    return {
        "number": number,
        "nid": nid,
        "offered_by": str(transfer.offered_by),
        "to": str(transfer.to),
        "offered_at": transfer.offered_at,
        "ended_at": transfer.ended_at,
        "is_accepted": transfer.is_accepted,
        "answers": {name: api_url(f"{name}-transfer", nid=nid, number=number) for name in answers},
        "links": {
            "html": absolute_url(transfer.get_absolute_url()),
            "namespace": api_url("namespace", nid=nid),
        },
    }
