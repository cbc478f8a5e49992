"""`account/` and `token/`: what waits for whoever asks, what is theirs, and what they asked with."""

from typing import Any, cast

from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import RoleName, Scope, Token
from registry.api.cases.token_serializers import AccountSerializer, TokenSerializer
from registry.api.framework.authentication import request_user
from registry.api.framework.throttling import policies
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.transfers import transfer_to_json
from registry.api.schema.token_operations import token_operation
from registry.cases.models import WAITING_FOR, Case, CaseQuerySet
from registry.namespaces.models import Transfer

MAX_CASES = 200


class AccountView(TokenAPIView):
    """What the page of the same name shows: drafts, cases, namespaces, offers, and what waits in each role."""

    @token_operation(
        "getAccount",
        "What is one's own, and what waits",
        scope=Scope.READ,
        answers=AccountSerializer,
        about="Drafts, cases, namespaces and offers of whoever asks, and what waits for them in each of their roles.",
        links={
            "draft": ("getDraft", {"number": "$response.body#/drafts/0/number"}),
            "case": ("getCaseTransitions", {"number": "$response.body#/cases/0/number"}),
            "namespace": ("getNamespace", {"nid": "$response.body#/namespaces/0/nid"}),
            "revise": ("reviseNamespace", {"nid": "$response.body#/namespaces/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        user = request_user(request)
        cases = Case.objects.select_related("namespace", "body")
        edited = cases.edited_by(user)
        roles = {
            role: _summaries(cases.waiting_for(RoleName(role), user).order_by("state_since"))
            for role in sorted(WAITING_FOR.keys() & user.roles)
        }
        return Response(
            {
                "waiting": {"registrant": _summaries(cases.waiting_for_registrant(user)), **roles},
                "drafts": _summaries(edited.drafts()),
                "cases": _summaries(edited.public().open_first()),
                "namespaces": [
                    {"nid": each.nid, "version": each.version, "url": api_url("namespace", nid=each.nid)}
                    for each in user.namespaces.with_latest()
                ],
                "transfers": [transfer_to_json(each) for each in Transfer.objects.waiting().concerning(user)],
            }
        )


def _summaries(cases: CaseQuerySet) -> list[dict[str, Any]]:
    return [
        {
            "number": case.pk,
            "subject": case.subject,
            "state": case.state,
            "state_since": case.state_since,
            "transitions": api_url("transitions", number=case.pk),
        }
        for case in cases[:MAX_CASES]
    ]


class TokenView(TokenAPIView):
    """The token that is asked with: whose it is, what it may be used for, and until when."""

    @token_operation(
        "getToken",
        "The token that is asked with",
        scope=None,
        answers=TokenSerializer,
        about="Whose it is, what it may be used for, until when, and how much may be asked for with it.",
    )
    def get(self, request: Request) -> Response:
        token = cast("Token", request.auth)
        return Response(
            {
                "name": token.name,
                "owner": str(token.owner),
                "roles": sorted(token.owner.roles),
                "scopes": token.scopes,
                "created_at": token.created_at,
                "expires_at": token.expires_at,
                "limits": [
                    {"name": each.name, "quota": each.quota, "window": each.window} for each in policies()
                ],
            }
        )
