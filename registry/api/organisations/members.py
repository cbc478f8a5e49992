"""`organisations/{organisation}/members/` and `invitations/`: the members of an organisation, and invitations to become one."""

from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.framework.fields import EmptyRequestSerializer, parse_number
from registry.api.framework.pagination import PaginatedAPIView
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.organisations.serializers import (
    InviteMemberRequestSerializer,
    MemberPartRequestSerializer,
    MembershipInvitationPageSerializer,
    MembershipInvitationQuerySerializer,
    MembershipInvitationSerializer,
    MembershipPageSerializer,
    MembershipQuerySerializer,
    MembershipSerializer,
)
from registry.api.organisations.views import ORGANISATION
from registry.api.schema.operations import POSITIVE_INTEGER, path_parameter
from registry.api.schema.token_operations import TEXT_PROBLEMS, token_operation, write_operation
from registry.cases.workflow.exceptions import HasActed
from registry.core.validators import InvalidAddress
from registry.organisations import exceptions
from registry.organisations.models import INVITED_FOR, Membership, MembershipInvitation
from registry.organisations.queries import (
    get_invitation,
    get_membership,
    get_own_organisation,
    get_represented_organisation,
    members_of_organisation,
)
from registry.organisations.services import members as services

MEMBER = path_parameter("number", "MemberNumber", "The number of a member.", 1, **POSITIVE_INTEGER)
INVITATION = path_parameter(
    "number", "InvitationNumber", "The number of an invitation.", 1, **POSITIVE_INTEGER
)
OF_RESULT = {"organisation": "$request.path.organisation", "number": "$response.body#/number"}
LINKS = {
    name: (operation, OF_RESULT)
    for name, operation in {
        "member": "getMember",
        "change part": "changeMemberPart",
        "end": "endMembership",
    }.items()
}
INVITATION_LINKS = {
    name: (operation, OF_RESULT)
    for name, operation in {
        "invitation": "getMembershipInvitation",
        "accept": "acceptMembershipInvitation",
        "decline": "declineMembershipInvitation",
        "withdraw": "withdrawMembershipInvitation",
    }.items()
}


def rendered(membership: Membership, user: User) -> Any:
    """The member as the user sees it."""
    return MembershipSerializer(membership, context={"user": user}).data


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

    def member(self, organisation: str, number: str) -> Membership:
        return get_membership(self.user, parse_number(organisation), parse_number(number))

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
        return Response(rendered(self.member(organisation, number), self.user))

    @write_operation(
        "changeMemberPart",
        "Change the part of a member",
        action=services.change_part,
        request=MemberPartRequestSerializer,
        response=MembershipSerializer,
        about="Only representatives can do this. The last one keeps the part while the organisation has namespaces or open cases.",
        refusals=(exceptions.SamePart, exceptions.LastRepresentative, exceptions.NotMember),
        parameters=(ORGANISATION, MEMBER),
        links=LINKS,
        is_once=False,
        is_conditional=True,
        is_body_needed=True,
    )
    def put(self, request: Request, organisation: str, number: str) -> Response:
        member = self.member(organisation, number)
        body = self.validated_data(MemberPartRequestSerializer)
        return Response(rendered(services.change_part(member, by=self.user, **body), self.user))

    @write_operation(
        "endMembership",
        "Remove a member, or leave",
        action=services.end_membership,
        request=None,
        response=None,
        status=HTTPStatus.NO_CONTENT,
        about="Members can leave, and representatives can remove others. The last representative can't while the organisation has "
        "namespaces or open cases.",
        refusals=(exceptions.LastRepresentative, exceptions.NotMember),
        parameters=(ORGANISATION, MEMBER),
        is_once=False,
        is_conditional=True,
    )
    def delete(self, request: Request, organisation: str, number: str) -> Response:
        services.end_membership(self.member(organisation, number), by=self.user)
        return Response(status=HTTPStatus.NO_CONTENT)


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

    @write_operation(
        "inviteMember",
        "Invite a member",
        action=services.invite_member,
        request=InviteMemberRequestSerializer,
        response=MembershipInvitationSerializer,
        status=HTTPStatus.CREATED,
        about=(
            "Sends a mail to the address. The response is the same whether or not it belongs to an account. Only "
            f"representatives can invite. An invitation expires after {INVITED_FOR.days} days."
        ),
        refusals=(
            exceptions.AlreadyMember,
            exceptions.InvitationPending,
            InvalidAddress,
            *TEXT_PROBLEMS,
        ),
        parameters=(ORGANISATION,),
        links=INVITATION_LINKS,
    )
    def post(self, request: Request, organisation: str) -> Response:
        represented = get_represented_organisation(self.user, parse_number(organisation))
        body = self.validated_data(InviteMemberRequestSerializer)
        invitation = services.invite_member(represented, by=self.user, **body)
        headers = {
            "Location": api_url("membership-invitation", organisation=represented.pk, number=invitation.pk)
        }
        shown = MembershipInvitationSerializer(invitation, context={"user": self.user}).data
        return Response(shown, HTTPStatus.CREATED, headers=headers)


class InvitationAPIView(TokenAPIView):
    """A resource below one invitation, which is to the user or to an organisation that they represent."""

    def invitation(self, organisation: str, number: str) -> MembershipInvitation:
        return get_invitation(self.user, parse_number(organisation), parse_number(number))


class InvitationDetailView(InvitationAPIView):
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
        invitation = self.invitation(organisation, number)
        return Response(MembershipInvitationSerializer(invitation, context={"user": self.user}).data)


class AcceptMembershipView(InvitationAPIView):
    """Accept an invitation."""

    @write_operation(
        "acceptMembershipInvitation",
        "Accept an invitation to an organisation",
        action=services.accept_membership,
        request=EmptyRequestSerializer,
        response=MembershipSerializer,
        about="The user becomes a member. People who acted in an open case of the organisation can't become members.",
        refusals=(exceptions.AlreadyMember, exceptions.InvitationNotOpen, HasActed),
        parameters=(ORGANISATION, INVITATION),
        links=LINKS,
    )
    def post(self, request: Request, organisation: str, number: str) -> Response:
        invitation = self.invitation(organisation, number)
        self.validated_data(EmptyRequestSerializer)
        return Response(rendered(services.accept_membership(invitation, by=self.user), self.user))


class DeclineMembershipView(InvitationAPIView):
    """Decline an invitation."""

    @write_operation(
        "declineMembershipInvitation",
        "Decline an invitation to an organisation",
        action=services.decline_membership,
        request=EmptyRequestSerializer,
        response=None,
        status=HTTPStatus.NO_CONTENT,
        about="The invitation is deleted, and the representatives get a mail. The user can be invited again.",
        refusals=(exceptions.InvitationNotOpen,),
        parameters=(ORGANISATION, INVITATION),
    )
    def post(self, request: Request, organisation: str, number: str) -> Response:
        invitation = self.invitation(organisation, number)
        self.validated_data(EmptyRequestSerializer)
        services.decline_membership(invitation, by=self.user)
        return Response(status=HTTPStatus.NO_CONTENT)


class WithdrawInvitationView(InvitationAPIView):
    """Withdraw an invitation."""

    @write_operation(
        "withdrawMembershipInvitation",
        "Withdraw an invitation to an organisation",
        action=services.withdraw_invitation,
        request=EmptyRequestSerializer,
        response=None,
        status=HTTPStatus.NO_CONTENT,
        about="The invitation is deleted, and the invited address gets a mail. Only representatives can do this.",
        refusals=(exceptions.InvitationNotOpen,),
        parameters=(ORGANISATION, INVITATION),
    )
    def post(self, request: Request, organisation: str, number: str) -> Response:
        invitation = self.invitation(organisation, number)
        self.validated_data(EmptyRequestSerializer)
        services.withdraw_invitation(invitation, by=self.user)
        return Response(status=HTTPStatus.NO_CONTENT)


DECISION_VIEWS = {
    "accept": AcceptMembershipView,
    "decline": DeclineMembershipView,
    "withdraw": WithdrawInvitationView,
}
