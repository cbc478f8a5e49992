"""`mine/` and `token/`: what waits for whoever asks, what is theirs, and what they asked with."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import RoleName, Scope
from registry.api.changes import offer_as_made
from registry.api.description_writing import asking
from registry.api.limits import policies
from registry.api.personal import PersonalResource, person
from registry.api.resources import address
from registry.api.shapes import MineShape, TokenShape
from registry.namespaces.models import Transfer
from registry.registrations.models import WAITING_FOR, Registration, RegistrationQuerySet

MOST_CASES = 200


class Mine(PersonalResource):
    """What the page of the same name shows: drafts, cases, namespaces, offers, and what waits in each role."""

    @asking(
        "mine",
        "What is one's own, and what waits",
        scope=Scope.READ,
        answers=MineShape,
        about="Drafts, cases, namespaces and offers of whoever asks, and what waits for them in each of their roles.",
        links={
            "draft": ("draft", {"number": "$response.body#/drafts/0/number"}),
            "case": ("moves", {"number": "$response.body#/cases/0/number"}),
            "namespace": ("namespace", {"nid": "$response.body#/namespaces/0/nid"}),
            "revise": ("revise", {"nid": "$response.body#/namespaces/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        user = person(request)
        cases = Registration.objects.select_related("namespace", "body")
        edited = cases.edited_by(user)
        desks = {
            role: _brief(cases.waiting_for(RoleName(role), user).order_by("state_since"))
            for role in sorted(WAITING_FOR.keys() & user.roles)
        }
        return Response(
            {
                "waiting": {"registrant": _brief(cases.waiting_for_registrant(user)), **desks},
                "drafts": _brief(edited.drafts()),
                "cases": _brief(edited.public().open_first()),
                "namespaces": [
                    {"nid": each.nid, "version": each.version, "url": address("namespace", nid=each.nid)}
                    for each in user.namespaces.with_latest()
                ],
                "transfers": [offer_as_made(each) for each in Transfer.objects.waiting().concerning(user)],
            }
        )


def _brief(cases: RegistrationQuerySet) -> list[dict[str, Any]]:
    return [
        {
            "number": case.pk,
            "subject": case.subject,
            "state": case.state,
            "state_since": case.state_since,
            "moves": address("moves", number=case.pk),
        }
        for case in cases[:MOST_CASES]
    ]


class ThisToken(PersonalResource):
    """The token that is asked with: whose it is, what it may be used for, and until when."""

    @asking(
        "token",
        "The token that is asked with",
        scope=None,
        answers=TokenShape,
        about="Whose it is, what it may be used for, until when, and how much may be asked for with it.",
    )
    def get(self, request: Request) -> Response:
        token = self.token
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
