"""Cases as those see them who act in them: beginning one, checking it, commenting on it."""

from http import HTTPStatus
from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.cases.reviews import CommentSerializer, PublicCommentListView
from registry.api.cases.token_serializers import (
    CreatedCaseSerializer,
    DraftCheckSerializer,
    ParticipantCaseSerializer,
    SectionsField,
)
from registry.api.cases.views import OF_CASE, PublicCaseListView
from registry.api.framework.authentication import request_user
from registry.api.framework.fields import (
    EmptySerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
    parse_number,
    validated_data,
)
from registry.api.framework.parsers import PlainTextParser, StrictJSONParser
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import absolute_url, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.views import NamespaceUnknown, registered_or_404
from registry.api.registration_template.reading import (
    SectionsRefused,
    TemplateUnreadable,
    read_sections,
    read_template,
    reading_to_json,
)
from registry.api.schema.operations import NID, NUMBER, TEXT, Link
from registry.api.schema.token_operations import TEXT_PROBLEMS, token_operation, write_operation
from registry.cases import permissions
from registry.cases.competing_cases import competing_cases_of_draft
from registry.cases.discussion import comments
from registry.cases.discussion.comments import CommentRefused, DiscussionClosed, NothingToDiscuss
from registry.cases.drafts import drafts
from registry.cases.findings import blocking, findings_of
from registry.cases.forms.begin import BeginForm
from registry.cases.models import Case, Procedure
from registry.cases.workflow.table import ALL_ACTIONS, ASSIGN, REQUEST_COMPLETION, all_allowed_for
from registry.cases.workflow.table import SUBMIT as SUBMIT_TRANSITION
from registry.core.exceptions import NotPermitted
from registry.namespaces.models import Kind, Namespace
from registry.registration_template.parsing.parser import ParsedTemplate
from registry.registration_template.template import RegistrationTemplate

# Operation ids that do not follow from the name of the transition.
OPERATION_IDS = {
    "advise": "adviseOnCase",
    "recuse": "recuseFromCase",
    "recognise": "recogniseBody",
    "refuse_recognition": "refuseBodyRecognition",
}


def operation_id(transition: str) -> str:
    """The operation id of a transition by its name, such as `submitCase` or `requestChanges`."""
    first, *rest = transition.split("_")
    camel = first + "".join(part.capitalize() for part in rest)
    return OPERATION_IDS.get(transition, camel if rest else f"{camel}Case")


# What comes next, in the description: of a draft, and of a case that is acted in.
SUBMIT: Link = ("submitCase", OF_CASE, {"draft_stamp": "$response.body#/draft_stamp"})
OF_ROUND = {"round_number": "$response.body#/round"}
DRAFT_LINKS: dict[str, Link] = {
    "draft": ("getDraft", OF_CASE),
    "check": ("checkDraft", OF_CASE),
    "submit": SUBMIT,
    "transitions": ("getCaseTransitions", OF_CASE),
}
CASE_LINKS: dict[str, Link] = {
    transition.label: (operation_id(transition.name), OF_CASE) for transition in ALL_ACTIONS
} | {
    SUBMIT_TRANSITION.label: SUBMIT,
    REQUEST_COMPLETION.label: (operation_id(REQUEST_COMPLETION.name), OF_CASE, OF_ROUND),
    ASSIGN.label: (operation_id(ASSIGN.name), OF_CASE, OF_ROUND),
    "draft": ("getDraft", OF_CASE),
    "comment": ("createComment", OF_CASE),
    "case": ("getCase", OF_CASE),
}


CASES_WITH_RELATIONS = Case.objects.select_related("namespace", "registrant", "body")


def visible_case(number: str, user: User) -> Case:
    """The case, if `user` may see it; else NotPermitted, as if it did not exist."""
    case = CASES_WITH_RELATIONS.visible_to(user).filter(pk=parse_number(number)).first()
    if case is None:
        raise NotPermitted(f"There is no case {number}.")
    return case


def participant_case(user: User, case: Case) -> dict[str, Any]:
    """A case as it is to `user`: where it stands, and which transitions are open to them."""
    latest, number = case.latest_round, case.pk
    is_editor = permissions.is_editor(user, case)
    return {
        "number": number,
        "kind": case.kind,
        "procedure": case.procedure,
        "state": case.state,
        "state_since": case.state_since,
        "subject": case.subject,
        "requested_nid": case.requested_nid or None,
        "namespace": case.namespace.nid if case.namespace else None,
        "is_revision": case.is_revision,
        "standards_action": case.standards_action,
        "body": case.body.name if case.body else None,
        "recognition": case.recognition if case.body else None,
        "round": latest.number if latest else 0,
        "draft_stamp": case.draft_stamp if is_editor else None,
        "transitions": {
            transition.name: api_url(transition.slug, number=number)
            for transition in all_allowed_for(user, case)
        },
        "links": {
            "self": api_url("transitions", number=number),
            "html": absolute_url(case.get_absolute_url()),
            "draft": api_url("draft", number=number) if is_editor else None,
            "check": api_url("check", number=number) if is_editor else None,
            "comments": api_url("comments", number=number),
            "namespace": api_url("namespace", nid=case.namespace.nid) if case.namespace else None,
        },
    }


class CreateCaseRequestSerializer(StrictSerializer):
    """What a new case is to be, and, if it is written already, its template: as sections or as plain text."""

    kind = serializers.ChoiceField(choices=Kind.choices)
    procedure = serializers.ChoiceField(choices=Procedure.choices, default=Procedure.COMMUNITY)
    body = StrictCharField(default="", help_text="The name of the requesting body, on the fast track.")
    standards_action = StrictBooleanField(required=False)
    sections = SectionsField(required=False)
    template = StrictCharField(default="", help_text="The completed template, as plain text.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["template"] and "sections" in attrs:
            raise ValidationError({"template": ["Send the template as text or as sections, not as both."]})
        return attrs


class CaseListView(PublicCaseListView, TokenAPIView):
    """All cases, and the door for new ones."""

    @write_operation(
        "createCase",
        "Begin a case for a new namespace",
        scope=Scope.WRITE,
        request=CreateCaseRequestSerializer,
        answers=CreatedCaseSerializer,
        status=HTTPStatus.CREATED,
        about="It is a draft that its editors alone see until it is submitted. Location is that of the draft.",
        refusals=(SectionsRefused, TemplateUnreadable),
        links=DRAFT_LINKS,
        sample={"kind": "formal", "sections": {"namespace_identifier": "example-trees"}},
    )
    def post(self, request: Request) -> Response:
        body, by = validated_data(request, CreateCaseRequestSerializer), request_user(request)
        parsed = read_template(body["template"]) if body["template"] else None
        template = parsed.template if parsed else read_sections(body.get("sections", {}))
        with transaction.atomic():
            case = _create_case(body, by=by)
            choices = {key: body[key] for key in ("standards_action",) if key in body}
            case = drafts.save_draft(case, template, by=by, stamp=case.draft_stamp, **choices)
        return created_response(case, by, parsed)


def _create_case(body: dict[str, Any], *, by: User) -> Case:
    """What the page's form makes of it. Raises ValidationError."""
    form = BeginForm({key: body[key] for key in ("kind", "procedure", "body")})
    if not form.is_valid():
        raise ValidationError({name: list(map(str, errors)) for name, errors in form.errors.items()})
    return form.begin(by=by)


def created_response(case: Case, by: User, parsed: ParsedTemplate | None = None) -> Response:
    """The answer to the beginning of a case: its address, and how the text was read if one was sent."""
    body = participant_case(by, case) | ({"reading": reading_to_json(parsed)} if parsed else {})
    return Response(body, HTTPStatus.CREATED, headers={"Location": api_url("draft", number=case.pk)})


class CaseTransitionsView(TokenAPIView):
    """`cases/{number}/transitions/`: a case, also a draft, and what whoever asks may do in it now."""

    @token_operation(
        "getCaseTransitions",
        "What can be done in a case",
        scope=Scope.READ,
        answers=ParticipantCaseSerializer,
        about="The case as the token's owner sees it, a draft included, with the transitions that are open to them now.",
        refusals=(NOT_FOUND,),
        parameters=(NUMBER,),
        links=CASE_LINKS,
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(participant_case(request_user(request), visible_case(number, request_user(request))))


class ReviseNamespaceView(TokenAPIView):
    """`namespaces/{nid}/revise/`: begin a revision of one's own namespace, from its current text."""

    @write_operation(
        "reviseNamespace",
        "Begin a revision of a namespace",
        scope=Scope.WRITE,
        request=EmptySerializer,
        answers=CreatedCaseSerializer,
        status=HTTPStatus.CREATED,
        about="Its registrant begins it; it starts from the current text.",
        refusals=(NamespaceUnknown,),
        parameters=(NID,),
        links=DRAFT_LINKS,
    )
    def post(self, request: Request, nid: str) -> Response:
        validated_data(request, EmptySerializer)
        namespace = registered_or_404(nid, Namespace.objects.select_related("latest"))
        return created_response(
            drafts.begin_revision(namespace, by=request_user(request)), request_user(request)
        )


class CheckDraftRequestSerializer(StrictSerializer):
    """Sections to be checked instead of those of the draft."""

    sections = SectionsField(required=False)


class CheckDraftView(TokenAPIView):
    """`cases/{number}/check/`: what the registry has to say of a draft, or of a text in its place."""

    parser_classes = (StrictJSONParser, PlainTextParser)

    @write_operation(
        "checkDraft",
        "Check a draft, or a text in its place",
        scope=Scope.READ,
        request={"application/json": CheckDraftRequestSerializer, "text/plain": TEXT},
        answers=DraftCheckSerializer,
        about="Changes nothing. Without sections and without a template the draft itself is checked.",
        refusals=(SectionsRefused, TemplateUnreadable),
        parameters=(NUMBER,),
        links={"draft": ("getDraft", OF_CASE), "submit": SUBMIT},
    )
    def post(self, request: Request, number: str) -> Response:
        case = visible_case(number, request_user(request))
        drafts.check_editor(case, by=request_user(request))
        if sent := _sent_template(request):
            case.draft = drafts.in_case(case, sent).to_json()  # not saved
        findings = findings_of(case)
        return Response(
            {
                "number": case.pk,
                "draft_stamp": case.draft_stamp,
                "is_ready": not blocking(findings),
                "findings": [finding.to_json() for finding in findings],
                "competing_cases": [
                    {
                        "number": competing_case.case.pk,
                        "nid": competing_case.nid,
                        "reason": competing_case.reason,
                        "html": absolute_url(competing_case.case.get_absolute_url()),
                    }
                    for competing_case in competing_cases_of_draft(case)
                ],
            }
        )


def _sent_template(request: Request) -> RegistrationTemplate | None:
    """What came to be checked; None when it is the draft."""
    if isinstance(request.data, str):
        return read_template(request.data).template
    body = validated_data(request, CheckDraftRequestSerializer)
    return read_sections(body["sections"]) if "sections" in body else None


class CommentRequestSerializer(StrictSerializer):
    """A comment on one round: on the section of that key, or on the whole; or an answer to another comment."""

    round_number = StrictIntegerField()
    section = StrictCharField(default="")
    text = StrictCharField()
    answers = StrictIntegerField(required=False, source="answered")


class CommentListView(PublicCommentListView, TokenAPIView):
    """`cases/{number}/comments/`: what was said of a case; and say something of a round, for everyone to read."""

    @write_operation(
        "createComment",
        "Comment on a round",
        scope=Scope.WRITE,
        request=CommentRequestSerializer,
        answers=CommentSerializer,
        status=HTTPStatus.CREATED,
        about="Everyone reads it. The same said twice in a row is kept once.",
        refusals=(CommentRefused, NothingToDiscuss, DiscussionClosed, *TEXT_PROBLEMS),
        parameters=(NUMBER,),
        links={"comments": ("listComments", {"number": "$request.path.number"})},
        sample={"round_number": 1, "section": "purpose", "text": "Which trees are meant?"},
    )
    def post(self, request: Request, number: str) -> Response:
        case = visible_case(number, request_user(request))
        kept = comments.comment(
            case, by=request_user(request), **validated_data(request, CommentRequestSerializer)
        )
        return Response(CommentSerializer(kept).data, HTTPStatus.CREATED)
