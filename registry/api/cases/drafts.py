"""`cases/{number}/draft/`: the text of a case before, and between, its rounds; for its editors."""

import hashlib
import re
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.cases.token_serializers import (
    DraftChangedProblemSerializer,
    DraftChangesSerializer,
    DraftSerializer,
    ReplyRequestSerializer,
    SavedDraftSerializer,
    SectionsField,
)
from registry.api.cases.token_views import DRAFT_LINKS, visible_case
from registry.api.cases.views import OF_CASE
from registry.api.framework.authentication import request_user
from registry.api.framework.conditional import StalePrecondition, apply_preconditions
from registry.api.framework.fields import StrictBooleanField, StrictSerializer, validated_data
from registry.api.framework.parsers import MergePatchParser, PlainTextParser, StrictJSONParser, text_body
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.renderers import PlainTextRenderer
from registry.api.framework.urls import absolute_url, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.registration_template.reading import (
    SectionsRefused,
    TemplateUnreadable,
    diff_to_json,
    read_sections,
    read_template,
    reading_to_json,
)
from registry.api.schema.operations import NUMBER, TEXT, Method, ProblemKind, with_problem_members
from registry.api.schema.token_operations import OPTIONAL_TEXT_PROBLEMS, token_operation, write_operation
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import DraftClosed
from registry.cases.drafts.replies import DraftReply, UnknownActionPoint, open_points_of, replies_in
from registry.cases.models import Case
from registry.core.exceptions import RegistryError
from registry.registration_template.diff import compare_templates
from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import ParsedTemplate
from registry.registration_template.template import RegistrationTemplate

# A draft's ETag: its stamp, and what tells one representation of it from another.
TAG = re.compile(r'"([0-9]{1,9})\.[0-9a-f]{8}"')
# What a draft says besides its text, and who sends a draft back changed sends with it.
READ_ONLY_MEMBERS = ("number", "draft_stamp", "saved_at", "action_points", "links")


class IfMatchMissing(RegistryError):
    """An edit says in the header If-Match which draft it changes, so that nobody's words are overwritten."""

    status = HTTPStatus.PRECONDITION_REQUIRED
    title = "Say which draft you change"


@with_problem_members(DraftChangedProblemSerializer, current={}, difference=[])
class DraftChanged(RegistryError):
    """The draft was saved since: `current` is what it says now, `difference` what would change in it."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "The draft was changed meanwhile"

    def __init__(self, case: Case, sent: RegistrationTemplate) -> None:
        super().__init__(
            f"This draft was saved at {case.draft_saved_at:%Y-%m-%d %H:%M:%S} UTC, after the one that If-Match "
            "names. Look at the difference, then send yours with the ETag of `current`."
        )
        current = draft_to_json(case)
        self.members = {
            "current": current | {"etag": etag_of(case, _bytes(current))},
            "difference": diff_to_json(compare_templates(case.draft_template, drafts.in_case(case, sent))),
        }


def draft_to_json(case: Case) -> dict[str, Any]:
    """A draft as JSON."""
    return {
        "number": case.pk,
        "draft_stamp": case.draft_stamp,
        "saved_at": case.draft_saved_at,
        "standards_action": case.standards_action,
        "sections": drafts.in_case(case, case.draft_template).to_json(),
        "action_points": _action_points(case),
        "links": {
            "self": api_url("draft", number=case.pk),
            "check": api_url("check", number=case.pk),
            "html": absolute_url(case.get_absolute_url()),
        },
    }


def _action_points(case: Case) -> list[dict[str, Any]]:
    said = replies_in(case)
    return [
        {
            "number": point.pk,
            "section": point.section,
            "text": point.text,
            "outcome": said.get(point.pk, DraftReply()).outcome,
            "answer": said.get(point.pk, DraftReply()).text,
        }
        for point in open_points_of(case)
    ]


def etag_of(case: Case, representation: bytes) -> str:
    return f'"{case.draft_stamp}.{hashlib.sha256(representation).hexdigest()[:8]}"'


def _bytes(draft: dict[str, Any]) -> bytes:
    return bytes(JSONRenderer().render(draft))


class DraftRequestSerializer(StrictSerializer):
    """A draft that is sent: sections that are left out are empty."""

    sections = SectionsField()
    standards_action = StrictBooleanField(required=False)
    answers = ReplyRequestSerializer(many=True, required=False)


DRAFT_PROBLEMS = (
    IfMatchMissing,
    DraftChanged,
    DraftClosed,
    SectionsRefused,
    UnknownActionPoint,
    *OPTIONAL_TEXT_PROBLEMS,
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of the draft that is changed, or * for whatever it is now. Without it the answer is 428.",
    examples=[OpenApiExample("an ETag", '"3.0f1e2d3c"'), OpenApiExample("any", "*")],
)
SAME_DRAFT = {**OF_CASE, "If-Match": "$response.header.ETag"}
SAVED_DRAFT_LINKS = DRAFT_LINKS | {"write": ("saveDraft", SAME_DRAFT), "change": ("updateDraft", SAME_DRAFT)}


def draft_write_operation(
    name: str, summary: str, *, request: Any, about: str, refusals: Sequence[ProblemKind] = ()
) -> Callable[[Method], Method]:
    """Describe a change of a draft, which names the draft that it changes."""
    return write_operation(
        name,
        summary,
        scope=Scope.WRITE,
        request=request,
        answers={"application/json": SavedDraftSerializer, "text/plain": TEXT},
        about=about,
        refusals=(*DRAFT_PROBLEMS, *refusals),
        parameters=(NUMBER, IF_MATCH),
        links=SAVED_DRAFT_LINKS,
        is_once=False,
        has_etag=True,
        is_body_needed=True,
        sample={"sections": {"purpose": "Names trees in the care of botanical gardens."}},
    )


class DraftView(TokenAPIView):
    """The draft of a case, as JSON or as the plain text that would be posted."""

    renderer_classes = (JSONRenderer, PlainTextRenderer)

    def get_parsers(self) -> list[BaseParser]:
        if self.request and self.request.method == "PATCH":
            return [StrictJSONParser(), MergePatchParser()]
        return [StrictJSONParser(), PlainTextParser()]

    @token_operation(
        "getDraft",
        "The draft of a case",
        scope=Scope.READ,
        answers={"application/json": DraftSerializer, "text/plain": TEXT},
        about="For its editors. As plain text it is what would be posted if it were submitted.",
        refusals=(NOT_FOUND, StalePrecondition),
        has_etag=True,
        parameters=(NUMBER,),
        links=SAVED_DRAFT_LINKS,
    )
    def get(self, request: Request, number: str) -> Response:
        return self._answer(self._case(request, number))

    @draft_write_operation(
        "saveDraft",
        "Write a draft",
        request={"application/json": DraftRequestSerializer, "text/plain": TEXT},
        about="Sound or not: it is checked when it is submitted. A draft can be sent back as it was read, changed.",
        refusals=(TemplateUnreadable,),
    )
    def put(self, request: Request, number: str) -> Response:
        case = self._case(request, number)
        if (text := text_body(request)) is not None:
            parsed = read_template(text)
            return self._save(case, parsed.template, parsed=parsed)
        return self._write(case, request.data)

    @draft_write_operation(
        "updateDraft",
        "Change some sections of a draft",
        request={
            "application/json": DraftChangesSerializer,
            "application/merge-patch+json": DraftChangesSerializer,
        },
        about="The body is a JSON Merge Patch (RFC 7396): what it leaves out stays, null empties.",
    )
    def patch(self, request: Request, number: str) -> Response:
        case = self._case(request, number)
        validated_data(request, serializers.Serializer)  # an object
        check_removable(request.data)
        before = {"sections": case.draft_template.to_json(), "standards_action": case.standards_action}
        return self._write(case, merge_patch(before, request.data))

    def _case(self, request: Request, number: str) -> Case:
        case = visible_case(number, request_user(request))
        drafts.check_editor(case, by=request_user(request))
        return case

    def _write(self, case: Case, sent: Any) -> Response:
        if isinstance(sent, dict):
            sent = {name: value for name, value in sent.items() if name not in READ_ONLY_MEMBERS}
        serializer = DraftRequestSerializer(data=sent)
        serializer.is_valid(raise_exception=True)
        choices = dict(serializer.validated_data)
        if answers := choices.pop("answers", ()):
            choices["replies"] = {
                said["point"]: DraftReply(said["outcome"], said["text"]) for said in answers
            }
        return self._save(case, read_sections(choices.pop("sections")), **choices)

    def _save(
        self,
        case: Case,
        template: RegistrationTemplate,
        *,
        parsed: ParsedTemplate | None = None,
        **choices: Any,
    ) -> Response:
        by = request_user(self.request)
        drafts.check_editable(case, by=by)
        if not matches_current(self.request, case):
            raise DraftChanged(case, template)
        try:
            case = drafts.save_draft(case, template, by=by, stamp=case.draft_stamp, **choices)
        except drafts.StaleDraft as refusal:
            raise DraftChanged(refusal.case, template) from refusal
        return self._answer(case, parsed)

    def _answer(self, case: Case, parsed: ParsedTemplate | None = None) -> Response:
        if self.request.accepted_renderer.format == PlainTextRenderer.format:
            text = format_template(drafts.in_case(case, case.draft_template))
            return Response(text, headers={"ETag": etag_of(case, text.encode())})
        body = draft_to_json(case)
        headers = {"ETag": etag_of(case, _bytes(body))}
        return Response(body | ({"reading": reading_to_json(parsed)} if parsed else {}), headers=headers)

    def conditional(self, request: HttpRequest, response: Response) -> HttpResponseBase:
        response.render()
        return apply_preconditions(request, response.get("ETag"), response)


def matches_current(request: Request, case: Case) -> bool:
    """Whether If-Match names the draft as it is now. Raises IfMatchMissing."""
    header = request.headers.get("If-Match", "").strip()
    if not header:
        raise IfMatchMissing(
            "Send the draft's ETag in the header If-Match: a GET of this address answers it."
        )
    stamps = {int(tag[1]) for each in header.split(",") if (tag := TAG.fullmatch(each.strip()))}
    return header == "*" or case.draft_stamp in stamps


def check_removable(patch: Any) -> None:
    """Raise ValidationError where the patch removes what a draft always has."""
    fixed = [name for name in ("standards_action", "answers") if name in patch and patch[name] is None]
    if fixed:
        raise ValidationError(
            {name: ["This can't be removed. Leave it out to leave it as it is."] for name in fixed}
        )


def merge_patch(target: Any, patch: Any) -> Any:
    """`target` as `patch` changes it (RFC 7396, section 2)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result
