"""`account/` and `token/`: the cases, namespaces and offers of the user, and the token of the request."""

from typing import cast

from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import RoleName, Scope, Token
from registry.api.account.serializers import AccountSerializer, TokenSerializer
from registry.api.framework.views import TokenAPIView
from registry.api.schema.token_operations import token_operation
from registry.cases.inbox import cases_waiting_for
from registry.cases.models import WAITING_FOR, Case
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.queries import invitations_to, memberships_of

MAX_CASES = 200


class AccountView(TokenAPIView):
    """The account of the user: drafts, cases, namespaces, organisations, offers, and the cases that wait for them in each role."""

    @token_operation(
        "getAccount",
        "The account of the user",
        scope=Scope.READ,
        response=AccountSerializer,
        about=(
            "Drafts, cases, namespaces, organisations, invitations and offers of the user, and the cases that wait for "
            "them in each role."
        ),
        links={
            "draft": ("getDraft", {"number": "$response.body#/drafts/0/number"}),
            "case": ("getCaseActions", {"number": "$response.body#/cases/0/number"}),
            "namespace": ("getNamespace", {"nid": "$response.body#/namespaces/0/nid"}),
            "organisation": (
                "listMembers",
                {"organisation": "$response.body#/memberships/0/organisation/number"},
            ),
            "revise": ("reviseNamespace", {"nid": "$response.body#/namespaces/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        user = self.user
        cases = Case.objects.select_related("namespace", "body")
        edited = cases.edited_by(user)
        waiting = {"registrant": cases.waiting_for_registrant(user)} | {
            role: cases_waiting_for(RoleName(role), user)
            .select_related("namespace", "body")
            .order_by("state_since")
            for role in sorted(WAITING_FOR.keys() & user.roles)
        }
        account = {
            "waiting": {role: found[:MAX_CASES] for role, found in waiting.items()},
            "drafts": edited.drafts()[:MAX_CASES],
            "cases": edited.public().open_first()[:MAX_CASES],
            "namespaces": Namespace.objects.run_by(user).with_latest(),
            "invitations": cases.open()
            .inviting(user)
            .select_related("organisation", "registrant")[:MAX_CASES],
            "transfers": Transfer.objects.waiting().concerning(user),
            "memberships": memberships_of(user).select_related("user"),
            "membership_invitations": invitations_to(user),
        }
        return Response(AccountSerializer(account, context={"user": user}).data)


class TokenView(TokenAPIView):
    """The token of the request: its owner, scopes and expiry."""

    @token_operation(
        "getCurrentToken",
        "The token of the request",
        scope=None,
        response=TokenSerializer,
        about="The owner, scopes and expiry of the token, and its rate limits.",
    )
    def get(self, request: Request) -> Response:
        return Response(TokenSerializer(cast("Token", request.auth)).data)
