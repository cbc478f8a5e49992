"""Find the case of a request: a public one, or one that the user may see. The links between the operations of cases
(OpenAPI).
"""

from http import HTTPStatus
from typing import Any

from django.db.models import Q, QuerySet
from rest_framework import serializers

from registry.accounts.models import User
from registry.api.framework.fields import SearchTextField, parse_number
from registry.api.schema.operations import Link
from registry.cases.models import OPEN_STATES, Case
from registry.cases.queries import get_case_for, get_edited_case, get_visible_case
from registry.cases.workflow.declarations.definition import CaseAction
from registry.cases.workflow.declarations.transitions import ALL_ACTIONS, ASSIGN, REQUEST_COMPLETION, SUBMIT
from registry.core.exceptions import RegistryError
from registry.core.validators import shortened

OF_CASE = {"number": "$response.body#/number"}
OF_ROUND = {"round": "$response.body#/round"}
SUBMIT_LINK: Link = ("submitCase", OF_CASE, {"draft_stamp": "$response.body#/draft_stamp"})
DRAFT_LINKS: dict[str, Link] = {
    "draft": ("getDraft", OF_CASE),
    "check": ("checkDraft", OF_CASE),
    "submit": SUBMIT_LINK,
    "actions": ("getCaseActions", OF_CASE),
}
CASE_LINKS: dict[str, Link] = {action.label: (action.operation_id, OF_CASE) for action in ALL_ACTIONS} | {
    SUBMIT.label: SUBMIT_LINK,
    REQUEST_COMPLETION.label: (REQUEST_COMPLETION.operation_id, OF_CASE, OF_ROUND),
    ASSIGN.label: (ASSIGN.operation_id, OF_CASE, OF_ROUND),
    "draft": ("getDraft", OF_CASE),
    "comment": ("createComment", OF_CASE),
    "case": ("getCase", OF_CASE),
}


class CaseUnknown(RegistryError):
    """There is no such case, or it was not submitted yet. Only its editors can see a draft."""

    status = HTTPStatus.NOT_FOUND
    title = "No such case"


class CaseSearchSerializer(serializers.Serializer[Any]):
    """The filters of `registry.cases.models.cases`."""

    q = SearchTextField(
        required=False,
        help_text="Only cases with all these words, or words that begin with them, in their NID, or in the organisation or "
        "purpose of the latest round.",
    )
    registrant = SearchTextField(
        required=False,
        help_text="Only cases whose registrant has all these words in their name.",
    )
    expert = SearchTextField(
        required=False,
        help_text="Only cases reviewed by an expert who has all these words in their name.",
    )
    since = serializers.DateField(
        required=False, help_text="Only cases whose current state began on this day (UTC) or later."
    )
    until = serializers.DateField(
        required=False,
        help_text="Only cases whose current state began on this day (UTC) or earlier.",
    )


def filtered_cases(parameters: dict[str, Any]) -> QuerySet[Case, Case]:
    """The public cases that match the parameters of the list."""
    cases = Case.objects.public().select_related("namespace", "body", "organisation", "registrant")
    cases = cases.defer("draft", "draft_profile")
    exact = ("state", "kind", "procedure", "is_revision", "organisation")
    cases = cases.filter(**{name: parameters[name] for name in exact if name in parameters})
    if "is_open" in parameters:
        is_open = Q(state__in=sorted(OPEN_STATES))
        cases = cases.filter(is_open if parameters["is_open"] else ~is_open)
    if nid := parameters.get("nid"):
        cases = cases.filter(Q(requested_nid=nid) | Q(namespace__nid=nid))
    if since := parameters.get("updated_since"):
        cases = cases.filter(changed_at__gte=since)
    return cases.searched(parameters)


def public_case(number: str) -> Case:
    """The case, if it is public. Raises CaseUnknown."""
    cases = Case.objects.public().select_related("namespace__latest", "body", "organisation", "registrant")
    brief = cases.defer("draft", "draft_profile", "namespace__latest__content", "namespace__latest__text")
    case = brief.filter(pk=parse_number(number)).first()
    if case is None:
        raise CaseUnknown(f"There is no public case “{shortened(number)}”.")
    return case


def visible_case(number: str, user: User) -> Case:
    """The case with this number in a URL. Raises NotPermitted unless `user` may see it."""
    return get_visible_case(user, parse_number(number))


def edited_case(number: str, user: User) -> Case:
    """The case with this number in a URL. Raises NotPermitted unless `user` edits it."""
    return get_edited_case(user, parse_number(number))


def case_for(action: CaseAction, number: str, user: User) -> Case:
    """The case with this number in a URL. Raises NotPermitted unless `user` has the permission for the action."""
    return get_case_for(action, user, parse_number(number))
