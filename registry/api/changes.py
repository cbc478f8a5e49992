"""What happens to a namespace after its registration: deprecation, rules, and transfer to another registrant."""

from http import HTTPStatus
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.authentication import check_scope
from registry.api.bodies import Body, Nothing, Words, asked
from registry.api.description import NID
from registry.api.description_writing import REMARK, WORDS, sending
from registry.api.moves import AccountByAddress, RemarkBody
from registry.api.namespaces import OF_NAMESPACE, NamespaceUnknown, registered
from registry.api.parameters import number_of
from registry.api.personal import PersonalResource, person
from registry.api.resources import absolute, address
from registry.api.shapes import DeprecatedNamespace, TransferShape
from registry.errors import NotForYou
from registry.namespaces import actions, permissions
from registry.namespaces.forms_changes import AnswerForm, DeprecateForm, OfferTransferForm
from registry.namespaces.lookup import NotRegistered
from registry.namespaces.lookup import registered as find_registered
from registry.namespaces.models import Namespace, Transfer

OF_OFFER = {**OF_NAMESPACE, "number": "$response.body#/number"}
OFFER_NUMBER = OpenApiParameter(
    "number",
    {"type": "integer", "minimum": 1},
    OpenApiParameter.PATH,
    description="The number of an offer.",
    examples=[OpenApiExample("the first offer", 1)],
)


@extend_schema_field({"type": "string"})
class NamespaceByNID(serializers.Field[Namespace, str, str, Any]):
    """A registered namespace, named by its NID in any case of letters."""

    def to_internal_value(self, data: Any) -> Namespace:
        try:
            return find_registered(str(data).lower())
        except NotRegistered as fault:
            raise serializers.ValidationError(str(fault)) from fault

    def to_representation(self, value: Namespace) -> str:
        return value.nid


class DeprecationBody(Body):
    statement = Words(help_text="Why, and what users of the namespace should do.")
    successor = NamespaceByNID(required=False, help_text="The NID to use for new names.")


class OfferBody(Body):
    to = AccountByAddress(help_text="The address of the new registrant's account.")
    reason = Words(default="")


class Deprecate(PersonalResource):
    """`namespaces/{nid}/deprecate/`: mark a namespace deprecated, for ever."""

    @sending(
        "deprecate",
        "Deprecate a namespace",
        scope=Scope.DECIDE,
        request=DeprecationBody,
        answers=DeprecatedNamespace,
        about=DeprecateForm.effect,
        refusals=(NamespaceUnknown, actions.AlreadyDeprecated, actions.SuccessorUnfit, *WORDS),
        parameters=(NID,),
        links={"namespace": ("namespace", OF_NAMESPACE)},
        sample={
            "statement": "The catalogue was closed. Its names stay valid.",
            "successor": "example-plants",
        },
    )
    def post(self, request: Request, nid: str) -> Response:
        by, namespace = person(request), registered(nid)
        actions.check_may_deprecate(namespace, by=by)
        namespace = actions.deprecate(namespace, by=by, **asked(request, DeprecationBody))
        successor = namespace.successor
        return Response(
            {
                "nid": namespace.nid,
                "deprecated_at": namespace.deprecated_at,
                "statement": namespace.deprecation_statement,
                "successor": successor.nid if successor else None,
                "links": {"namespace": address("namespace", nid=namespace.nid)},
            }
        )


class OfferTransfer(PersonalResource):
    """`namespaces/{nid}/transfers/`: offer a namespace to another registrant."""

    @sending(
        "offer_transfer",
        "Offer a namespace to another registrant",
        scope=Scope.WRITE,
        request=OfferBody,
        answers=TransferShape,
        status=HTTPStatus.CREATED,
        about=(
            f"{OfferTransferForm.effect} An administrator offers one that has no registrant, which needs the scope "
            "`decide` too."
        ),
        refusals=(NamespaceUnknown, actions.RecipientUnfit, actions.TransferNotOpen, *REMARK),
        parameters=(NID,),
        links={
            "accept": ("accept_transfer", OF_OFFER),
            "refuse": ("refuse_transfer", OF_OFFER),
            "take back": ("take_back_transfer", OF_OFFER),
        },
        sample={"to": "heir@example.org"},
    )
    def post(self, request: Request, nid: str) -> Response:
        by, namespace = person(request), registered(nid)
        actions.check_may_offer_transfer(namespace, by=by)
        if not permissions.is_registrant(by, namespace):
            check_scope(request, Scope.DECIDE)
        transfer = actions.offer_transfer(namespace, by=by, **asked(request, OfferBody))
        return Response(offer_as_made(transfer), HTTPStatus.CREATED)


class AnswerTransfer(PersonalResource):
    """One offer, and what becomes of it: by the action of the name, with the body that it takes."""

    action: ClassVar[str]
    body: ClassVar[type[Body]]

    def make(self, request: Request, nid: str, number: str) -> Response:
        by, transfer = person(request), _offer(nid, number)
        if not permissions.may_see_transfer(by, transfer):
            raise NotForYou(f"This offer of “{transfer.namespace.nid}” does not concern you.")
        if _is_made_in_a_role(self.action, transfer, by):
            check_scope(request, Scope.DECIDE)
        getattr(actions, self.action)(transfer, by=by, **asked(request, self.body))
        return Response(offer_as_made(_offer(nid, number)))


def _is_made_in_a_role(action: str, transfer: Transfer, by: User) -> bool:
    """An administrator takes back what another one offered of a namespace without a registrant."""
    is_own = by.pk in {transfer.offered_by_id, transfer.namespace.registrant_id}
    return action == "take_back_transfer" and not is_own


def _answering(action: str, summary: str, body: type[Body]) -> type[AnswerTransfer]:
    described = sending(
        action,
        summary,
        scope=Scope.WRITE,
        request=body,
        answers=TransferShape,
        about=AnswerForm.MADE[action],
        refusals=(NamespaceUnknown, actions.TransferNotOpen, *(REMARK if body is RemarkBody else ())),
        parameters=(NID, OFFER_NUMBER),
        links={"namespace": ("namespace", OF_NAMESPACE), "offer": ("offer_transfer", OF_NAMESPACE)},
    )

    def post(self: AnswerTransfer, request: Request, nid: str, number: str) -> Response:
        return self.make(request, nid, number)

    name = "".join(part.capitalize() for part in action.split("_"))
    particulars = {"action": action, "body": body, "post": described(post), "__doc__": f"{summary}."}
    return type(name, (AnswerTransfer,), particulars)


AcceptTransfer = _answering("accept_transfer", "Accept the offer of a namespace", Nothing)
RefuseTransfer = _answering("refuse_transfer", "Refuse the offer of a namespace", RemarkBody)
TakeBackTransfer = _answering("take_back_transfer", "Take the offer of a namespace back", RemarkBody)


def _offer(nid: str, number: str) -> Transfer:
    offers = Transfer.objects.select_related("namespace", "to", "offered_by")
    transfer = offers.filter(pk=number_of(number), namespace=registered(nid)).first()
    if transfer is None:
        raise NotForYou(f"There is no offer {number} of “{nid}”.")
    return transfer


def offer_as_made(transfer: Transfer) -> dict[str, Any]:
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
        "answers": {name: address(f"{name}-transfer", nid=nid, number=number) for name in answers},
        "links": {
            "html": absolute(transfer.get_absolute_url()),
            "namespace": address("namespace", nid=nid),
        },
    }
