"""Pages of organisations: the list of the user's organisations, the public page, their members and invitations."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.declarations import offered
from registry.actions.forms import ActionForm
from registry.actions.pages import Decisions, action_page, process
from registry.core.form_views import form_page, get_or_post, posted, take_action
from registry.organisations.actions import ACTIONS
from registry.organisations.actions.members import (
    ACCEPT_MEMBERSHIP,
    CHANGE_PART,
    DECLINE_MEMBERSHIP,
    INVITE_MEMBER,
    REMOVE_MEMBER,
    WITHDRAW_INVITATION,
    end_membership,
)
from registry.organisations.actions.organisations import CREATE_ORGANISATION, DESCRIBE_ORGANISATION
from registry.organisations.history import event_label, history_of, names_in_history
from registry.organisations.models import MemberRole, Membership, Organisation
from registry.organisations.permissions import is_representative, may_answer_invitation, part_of
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


def _show_description(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    organisation: Organisation = form.subject
    form.initial.update(name=organisation.name, homepage=organisation.homepage)
    return {"organisation": organisation}


_form_page = partial(action_page, template="organisations/form.html")
create = _form_page(
    CREATE_ORGANISATION,
    lambda user: user,
    to=lambda made: reverse("organisations:members", args=[made.pk]),
)
describe = _form_page(
    DESCRIBE_ORGANISATION, get_represented_organisation, show=_show_description, only_post=True
)


DECISIONS = {"accept": ACCEPT_MEMBERSHIP, "decline": DECLINE_MEMBERSHIP, "withdraw": WITHDRAW_INVITATION}


@get_or_post
@recent_sign_in_for(INVITE_MEMBER, only_post=True)
def members(request: SignedInRequest, pk: int) -> HttpResponse:
    """The members, the open invitations and the history; representatives invite."""
    find = get_represented_organisation if request.method == "POST" else get_own_organisation
    organisation = find(request.user, pk)
    form = ActionForm(posted(request), action=INVITE_MEMBER, subject=organisation, by=request.user)
    page = form_page(request, "organisations/members.html", _members_context(request, organisation, form))
    return process(request, form, page, to=lambda _: reverse("organisations:members", args=[pk]))


def _members_context(
    request: SignedInRequest, organisation: Organisation, form: ActionForm
) -> dict[str, Any]:
    rows = list(members_of_organisation(organisation))
    represents = is_representative(request.user, organisation.pk)
    return {
        "organisation": organisation,
        "rows": rows,
        "represents": represents,
        "needs_second": sum(each.part == MemberRole.REPRESENTATIVE for each in rows) < 2,
        "invitations": organisation.invitations.select_related("invited_by") if represents else (),
        "history": _history(organisation),
        "form": form,
    }


def _history(organisation: Organisation) -> list[dict[str, Any]]:
    """The events with their labels, latest first."""
    names = names_in_history(organisation)
    return [{"event": each, "label": event_label(each, names)} for each in history_of(organisation)]


@get_or_post
@recent_sign_in_for(CHANGE_PART, only_post=True)
def member(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """One member: the form for another part, and the button that removes them, or with which they leave."""
    membership = get_membership(request.user, pk, number)
    form = ActionForm(posted(request), action=CHANGE_PART, subject=membership, by=request.user)
    page = form_page(request, "organisations/member.html", _context(request, membership, form))
    return process(request, form, page, to=lambda _: reverse("organisations:members", args=[pk]))


def _context(request: SignedInRequest, membership: Membership, form: ActionForm) -> dict[str, Any]:
    return {
        "membership": membership,
        "organisation": membership.organisation,
        "is_own": membership.user_id == request.user.pk,
        "represents": is_representative(request.user, membership.organisation_id),
        "form": form,
    }


@require_POST
@recent_sign_in_for(REMOVE_MEMBER)
def end(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Remove a member, or leave."""
    membership = get_membership(request.user, pk, number)
    is_own = membership.user_id == request.user.pk

    def perform() -> HttpResponse:
        end_membership(membership, by=request.user)
        messages.success(request, "You left the organisation." if is_own else "The member was removed.")
        return redirect("organisations:mine") if is_own else redirect("organisations:members", pk)

    form = ActionForm(action=CHANGE_PART, subject=membership, by=request.user)
    return take_action(
        perform, form_page(request, "organisations/member.html", _context(request, membership, form))
    )


@get_or_post
@recent_sign_in_for(*DECISIONS.values(), only_post=True)
def invitation(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """One invitation: buttons that accept or decline it, for the invited person, or withdraw it."""
    found = get_invitation(request.user, pk, number)
    may_answer = may_answer_invitation(request.user, found)
    context = {"invitation": found, "organisation": found.organisation, "may_answer": may_answer}
    page = form_page(request, "organisations/invitation.html", context)

    def after(_: object) -> str:
        return reverse("organisations:mine") if may_answer else reverse("organisations:members", args=[pk])

    return Decisions(request, found, DECISIONS).process(page, to=after)
