"""`organisations/{organisation}/members/` and `invitations/`: the members of an organisation, and invitations to become one."""

from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.framework.actions import action_method, action_view
from registry.api.framework.fields import parse_number
from registry.api.framework.methods import token_operation
from registry.api.framework.pagination import PaginatedAPIView
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.organisations.serializers import (
    MembershipInvitationPageSerializer,
    MembershipInvitationQuerySerializer,
    MembershipInvitationSerializer,
    MembershipPageSerializer,
    MembershipQuerySerializer,
    MembershipSerializer,
)
from registry.api.organisations.views import ORGANISATION, find_represented
from registry.api.schema.operations import POSITIVE_INTEGER, path_parameter
from registry.cases.workflow.exceptions import HasActed
from registry.organisations.actions.members import (
    ACCEPT_MEMBERSHIP,
    CHANGE_PART,
    DECISIONS,
    DECLINE_MEMBERSHIP,
    INVITE_MEMBER,
    REMOVE_MEMBER,
    WITHDRAW_INVITATION,
)
from registry.organisations.models import INVITED_FOR, Membership, MembershipInvitation
from registry.organisations.queries import (
    get_invitation,
    get_membership,
    get_own_organisation,
    get_represented_organisation,
    members_of_organisation,
)

MEMBER = path_parameter("number", "MemberNumber", "The number of a member.", 1, **POSITIVE_INTEGER)
INVITATION = path_parameter(
    "number", "InvitationNumber", "The number of an invitation.", 1, **POSITIVE_INTEGER
)
OF_RESULT = {"organisation": "$request.path.organisation", "number": "$response.body#/number"}
LINKS = {
    "member": ("getMember", OF_RESULT),
    "change part": (CHANGE_PART.operation_id, OF_RESULT),
    "end": (REMOVE_MEMBER.operation_id, OF_RESULT),
}
INVITATION_LINKS = {
    "invitation": ("getMembershipInvitation", OF_RESULT),
    **{name: (each.operation_id, OF_RESULT) for name, each in DECISIONS.items()},
}


def rendered(membership: Membership, user: User) -> Any:
    """The member as the user sees it."""
    return MembershipSerializer(membership, context={"user": user}).data


def _rendered_invitation(invitation: MembershipInvitation, user: User) -> Any:
    return MembershipInvitationSerializer(invitation, context={"user": user}).data


def _member(user: User, organisation: str, number: str) -> Membership:
    return get_membership(user, parse_number(organisation), parse_number(number))


def _invitation(user: User, organisation: str, number: str) -> MembershipInvitation:
    return get_invitation(user, parse_number(organisation), parse_number(number))


def _address(invitation: MembershipInvitation) -> str:
    return api_url("membership-invitation", organisation=invitation.organisation_id, number=invitation.pk)


class MemberListView(PaginatedAPIView, TokenAPIView):
    """The members of an organisation, for members."""

    query = MembershipQuerySerializer

    @token_operation(
        "listMembers",
        "The members of an organisation",
        scope=Scope.READ,
        response=MembershipPageSerializer,
        about="The current members, in the order in which they joined. Only members can see them.",
        refusals=(NOT_FOUND,),
        parameters=[ORGANISATION],
    )
    def get(self, request: Request, organisation: str) -> HttpResponseBase:
        own = get_own_organisation(self.user, parse_number(organisation))
        return self.paginated(
            request, members_of_organisation(own), MembershipSerializer, context={"user": self.user}
        )


class MemberDetailView(TokenAPIView):
    """One member: for representatives every one, for others their own membership."""

    @token_operation(
        "getMember",
        "A member of an organisation",
        scope=Scope.READ,
        response=MembershipSerializer,
        about="Representatives can read every membership of their organisation, other members only their own.",
        refusals=(NOT_FOUND,),
        parameters=(ORGANISATION, MEMBER),
        links=LINKS,
        has_etag=True,
    )
    def get(self, request: Request, organisation: str, number: str) -> Response:
        return Response(rendered(_member(self.user, organisation, number), self.user))

    put = action_method(
        CHANGE_PART,
        _member,
        rendered,
        response=MembershipSerializer,
        summary="Change the part of a member",
        about=f"Only representatives can do this. {CHANGE_PART.effect}",
        parameters=(ORGANISATION, MEMBER),
        links=LINKS,
        is_once=False,
        is_conditional=True,
        is_body_needed=True,
    )
    delete = action_method(
        REMOVE_MEMBER,
        _member,
        request=None,
        summary="Remove a member, or leave",
        about="Members can leave, and representatives can remove others. The last representative can't while the organisation has "
        "namespaces, entries of registers or open cases.",
        parameters=(ORGANISATION, MEMBER),
        is_once=False,
        is_conditional=True,
    )


class InvitationListView(PaginatedAPIView, TokenAPIView):
    """The invitations to an organisation, for representatives. POST makes one."""

    query = MembershipInvitationQuerySerializer

    @token_operation(
        "listMembershipInvitations",
        "The invitations to an organisation",
        scope=Scope.READ,
        response=MembershipInvitationPageSerializer,
        about="The invitations that were neither accepted nor declined nor withdrawn, those that expired included. Only "
        "representatives can see them. Those to the user are in `account/`.",
        refusals=(NOT_FOUND,),
        parameters=[ORGANISATION],
    )
    def get(self, request: Request, organisation: str) -> HttpResponseBase:
        represented = get_represented_organisation(self.user, parse_number(organisation))
        invitations = represented.invitations.select_related("organisation", "invited_by")
        return self.paginated(
            request, invitations, MembershipInvitationSerializer, context={"user": self.user}
        )

    post = action_method(
        INVITE_MEMBER,
        find_represented,
        _rendered_invitation,
        response=MembershipInvitationSerializer,
        status=HTTPStatus.CREATED,
        location=_address,
        about=(
            "Sends a mail to the address. The response is the same whether or not it belongs to an account. Only "
            f"representatives can invite. An invitation expires after {INVITED_FOR.days} days."
        ),
        parameters=(ORGANISATION,),
        links=INVITATION_LINKS,
    )


class InvitationDetailView(TokenAPIView):
    """One invitation."""

    @token_operation(
        "getMembershipInvitation",
        "An invitation to an organisation",
        scope=Scope.READ,
        response=MembershipInvitationSerializer,
        about="For the invited person and for representatives, with the actions that are open to the user now.",
        refusals=(NOT_FOUND,),
        parameters=(ORGANISATION, INVITATION),
        links=INVITATION_LINKS,
    )
    def get(self, request: Request, organisation: str, number: str) -> Response:
        return Response(_rendered_invitation(_invitation(self.user, organisation, number), self.user))


DECISION_VIEWS = {
    "accept": action_view(
        ACCEPT_MEMBERSHIP,
        _invitation,
        rendered,
        response=MembershipSerializer,
        summary="Accept an invitation to an organisation",
        about="The user becomes a member. People who acted in an open case of the organisation can't become members.",
        refusals=(HasActed,),
        parameters=(ORGANISATION, INVITATION),
        links=LINKS,
    ),
    "decline": action_view(
        DECLINE_MEMBERSHIP,
        _invitation,
        summary="Decline an invitation to an organisation",
        about="The invitation is deleted, and the representatives get a mail. The user can be invited again.",
        parameters=(ORGANISATION, INVITATION),
    ),
    "withdraw": action_view(
        WITHDRAW_INVITATION,
        _invitation,
        summary="Withdraw an invitation to an organisation",
        about=f"{WITHDRAW_INVITATION.effect} Only representatives can do this.",
        parameters=(ORGANISATION, INVITATION),
    ),
}
