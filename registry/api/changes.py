"""What happens to a namespace after its registration: deprecation, and transfer to another registrant."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.authentication import check_scope
from registry.api.bodies import Body, Words, asked
from registry.api.idempotency import once
from registry.api.moves import AccountByAddress, WithRemark
from registry.api.namespaces import registered
from registry.api.personal import PersonalResource, person
from registry.api.resources import absolute, address
from registry.errors import NotForYou
from registry.namespaces import actions, permissions
from registry.namespaces.lookup import NotRegistered
from registry.namespaces.lookup import registered as find_registered
from registry.namespaces.models import Namespace, Transfer


class NamespaceByNID(serializers.Field[Namespace, str, str, Any]):
    """A registered namespace, named by its NID in any case of letters."""

    def to_internal_value(self, data: Any) -> Namespace:
        try:
            return find_registered(str(data).lower())
        except NotRegistered as fault:
            raise serializers.ValidationError(str(fault)) from fault

    def to_representation(self, value: Namespace) -> str:
        return value.nid


class Deprecation(Body):
    statement = Words(help_text="Why, and what users of the namespace should do.")
    successor = NamespaceByNID(required=False, help_text="The NID to use for new names.")


class Offer(Body):
    to = AccountByAddress(help_text="The address of the new registrant's account.")
    reason = Words(default="")


class Deprecate(PersonalResource):
    """`namespaces/{nid}/deprecate/`: mark a namespace deprecated, for ever."""

    scopes = {"POST": Scope.DECIDE}

    @once
    def post(self, request: Request, nid: str) -> Response:
        by, namespace = person(request), registered(nid)
        actions.check_may_deprecate(namespace, by=by)
        namespace = actions.deprecate(namespace, by=by, **asked(request, Deprecation))
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

    scopes = {"POST": Scope.WRITE}

    @once
    def post(self, request: Request, nid: str) -> Response:
        by, namespace = person(request), registered(nid)
        actions.check_may_offer_transfer(namespace, by=by)
        if not permissions.is_registrant(by, namespace):
            check_scope(request, Scope.DECIDE)
        transfer = actions.offer_transfer(namespace, by=by, **asked(request, Offer))
        return Response(offer_as_made(transfer), 201)


class AnswerTransfer(PersonalResource):
    """One offer, and what becomes of it: `answer` names the action."""

    scopes = {"POST": Scope.WRITE}
    answer: ClassVar[str]

    @once
    def post(self, request: Request, nid: str, number: str) -> Response:
        by = person(request)
        transfer = _offer(nid, number)
        if not permissions.may_see_transfer(by, transfer):
            raise NotForYou(f"This offer of “{transfer.namespace.nid}” does not concern you.")
        self._act(transfer, request)
        return Response(offer_as_made(_offer(nid, number)))

    def _act(self, transfer: Transfer, request: Request) -> None:
        getattr(actions, self.answer)(transfer, by=person(request), **asked(request, WithRemark))


class AcceptTransfer(AnswerTransfer):
    """Accept an offer: the namespace is one's own from then on."""

    answer = "accept_transfer"

    def _act(self, transfer: Transfer, request: Request) -> None:
        asked(request, Body)
        actions.accept_transfer(transfer, by=person(request))


class RefuseTransfer(AnswerTransfer):
    """Refuse an offer: the namespace stays whose it is."""

    answer = "refuse_transfer"


class TakeBackTransfer(AnswerTransfer):
    """Take an offer back before it is answered."""

    answer = "take_back_transfer"

    def _act(self, transfer: Transfer, request: Request) -> None:
        if transfer.offered_by_id != person(request).pk and transfer.namespace.registrant_id is None:
            check_scope(request, Scope.DECIDE)
        super()._act(transfer, request)


def _offer(nid: str, number: str) -> Transfer:
    offers = Transfer.objects.select_related("namespace", "to", "offered_by")
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    transfer = offers.filter(pk=int(number), namespace=registered(nid)).first() if is_number else None
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
