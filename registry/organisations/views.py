"""Pages of organisations: the list of the user's organisations, the public page, their members and invitations."""

from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.forms import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.actions.declarations import offered
from registry.actions.pages import action_page, decisions_page
from registry.organisations.actions import ACTIONS
from registry.organisations.actions.members import (
    CHANGE_PART,
    DECISIONS,
    INVITE_MEMBER,
    LEAVE_ORGANISATION,
    PART_HELP,
    REMOVE_MEMBER,
)
from registry.organisations.actions.organisations import CREATE_ORGANISATION, DESCRIBE_ORGANISATION
from registry.organisations.history import event_label, history_of, names_in_history
from registry.organisations.models import MemberRole, Membership, MembershipInvitation, Organisation
from registry.organisations.permissions import (
    is_own_membership,
    is_representative,
    may_answer_invitation,
    part_of,
)
from registry.organisations.queries import (
    get_invitation,
    get_membership,
    get_organisation,
    get_own_organisation,
    get_represented_organisation,
    invitations_to,
    members_of_organisation,
    memberships_of,
)

# Rows of each list on the page of an organisation.
MAX_ROWS = 200


@require_safe
def mine(request: SignedInRequest) -> HttpResponse:
    """The organisations of the user, and invitations to others."""
    context = {"memberships": memberships_of(request.user), "invitations": invitations_to(request.user)}
    return render(request, "organisations/mine.html", context)


@require_safe
@login_not_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The public page: the name, the namespaces and the public cases. Only members see the drafts."""
    organisation = get_organisation(request.user, pk)
    part = part_of(request.user, pk)
    cases = organisation.cases.visible_to(request.user).select_related("namespace", "body")
    context = {
        "organisation": organisation,
        "part": part,
        "namespaces": organisation.namespaces.with_latest()[:MAX_ROWS],
        "cases": cases.open_first()[:MAX_ROWS],
        "actions": offered(ACTIONS, request.user, organisation),
    }
    return render(request, "organisations/detail.html", context)


_form_page = partial(action_page, template="organisations/form.html")
create = _form_page(
    CREATE_ORGANISATION,
    lambda user: user,
    to=lambda made: reverse("organisations:members", args=[made.pk]),
)
describe = _form_page(
    DESCRIBE_ORGANISATION,
    get_represented_organisation,
    initial=partial(model_to_dict, fields=("name", "homepage")),
    only_post=True,
)


def _page_of_members(user: User, organisation: Organisation) -> str:
    return reverse("organisations:members", args=[organisation.pk])


def _show_members(request: SignedInRequest, organisation: Organisation) -> dict[str, Any]:
    rows = list(members_of_organisation(organisation))
    represents = is_representative(request.user, organisation.pk)
    return {
        "rows": rows,
        "represents": represents,
        "needs_second": sum(each.part == MemberRole.REPRESENTATIVE for each in rows) < 2,
        "invitations": organisation.invitations.select_related("invited_by") if represents else (),
        "history": _history(organisation),
    }


def _history(organisation: Organisation) -> list[dict[str, Any]]:
    """The events with their labels, latest first."""
    names = names_in_history(organisation)
    return [{"event": each, "label": event_label(each, names)} for each in history_of(organisation)]


# The members, the open invitations and the history; representatives invite.
members = decisions_page(
    {"invite": INVITE_MEMBER},
    get_own_organisation,
    "organisations/members.html",
    show=_show_members,
    to=_page_of_members,
)


def _show_member(request: SignedInRequest, membership: Membership) -> dict[str, Any]:
    return {
        "organisation": membership.organisation,
        "end": LEAVE_ORGANISATION if is_own_membership(request.user, membership) else REMOVE_MEMBER,
    }


# One member: the form for another part, and the button that removes them, or with which they leave.
member = decisions_page(
    {"change": CHANGE_PART},
    get_membership,
    "organisations/member.html",
    show=_show_member,
    to=lambda user, membership: _page_of_members(user, membership.organisation),
)
_leave = action_page(LEAVE_ORGANISATION, get_membership, to=lambda _: reverse("organisations:mine"))


def _leave_instead(request: SignedInRequest, membership: Membership) -> HttpResponse | None:
    """The address at which a representative removes others is that at which every member leaves."""
    if not is_own_membership(request.user, membership):
        return None
    return _leave(request, pk=membership.organisation_id, number=membership.pk)


end = action_page(
    REMOVE_MEMBER,
    get_membership,
    instead=_leave_instead,
    to=lambda ended: reverse("organisations:members", args=[ended.organisation_id]),
)


def _show_invitation(request: SignedInRequest, invitation: MembershipInvitation) -> dict[str, Any]:
    return {
        "invitation": invitation,
        "organisation": invitation.organisation,
        "may_answer": may_answer_invitation(request.user, invitation),
        "parts": PART_HELP,
    }


def _after_answer(user: User, invitation: MembershipInvitation) -> str:
    if may_answer_invitation(user, invitation):
        return reverse("organisations:mine")
    return _page_of_members(user, invitation.organisation)


# One invitation: buttons that accept or decline it, for the invited person, or withdraw it.
invitation = decisions_page(
    DECISIONS,
    get_invitation,
    "organisations/invitation.html",
    show=_show_invitation,
    to=_after_answer,
)
