"""`cases/{number}/draft/`: the draft of a case, for its editors."""

from collections.abc import Callable, Sequence
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
from registry.api.cases.draft_preconditions import (
    DraftChanged,
    IfMatchMissing,
    etag_of,
    json_etag_of,
    matches_current,
)
from registry.api.cases.draft_serializers import (
    DraftChangesSerializer,
    DraftRequestSerializer,
    DraftSerializer,
    SavedDraftSerializer,
)
from registry.api.cases.merge_patch import merge_patch
from registry.api.cases.operations import DRAFT_LINKS, OF_CASE
from registry.api.cases.queries import edited_case
from registry.api.framework.conditional import apply_preconditions
from registry.api.framework.parsers import MergePatchParser, PlainTextParser, StrictJSONParser, text_body
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.renderers import PlainTextRenderer
from registry.api.framework.views import TokenAPIView
from registry.api.registration_template.reading import (
    SectionsRefused,
    TemplateUnreadable,
    read_sections,
    read_template,
)
from registry.api.schema.operations import NUMBER, TEXT, Method, ProblemKind
from registry.api.schema.token_operations import OPTIONAL_TEXT_PROBLEMS, token_operation, write_operation
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import DraftClosed
from registry.cases.drafts.replies import DraftReply, UnknownActionPoint
from registry.cases.models import Case
from registry.core.text_limits import BodySize
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import ParsedTemplate
from registry.registration_template.template import RegistrationTemplate

# The members of a draft that a client may send back, and that are ignored.
READ_ONLY_MEMBERS = ("number", "draft_stamp", "saved_at", "action_points", "links")
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
    description="The ETag of the draft to change, or * for any. A request without If-Match gets 428.",
    examples=[OpenApiExample("an ETag", '"3.0f1e2d3c"'), OpenApiExample("any", "*")],
    extensions={"x-component": "If-Match"},
)
SAME_DRAFT = {**OF_CASE, "If-Match": "$response.header.ETag"}
SAVED_DRAFT_LINKS = DRAFT_LINKS | {"write": ("saveDraft", SAME_DRAFT), "change": ("updateDraft", SAME_DRAFT)}


def draft_write_operation(
    name: str, summary: str, *, request: Any, about: str, refusals: Sequence[ProblemKind] = ()
) -> Callable[[Method], Method]:
    """Describe a change of a draft, which requires If-Match."""
    return write_operation(
        name,
        summary,
        scope=Scope.WRITE,
        request=request,
        response={"application/json": SavedDraftSerializer, "text/plain": TEXT},
        about=about,
        refusals=(*DRAFT_PROBLEMS, *refusals),
        parameters=(NUMBER, IF_MATCH),
        links=SAVED_DRAFT_LINKS,
        is_once=False,
        has_etag=True,
        is_body_needed=True,
    )


class DraftView(TokenAPIView):
    """The draft of a case, as JSON or as the plain text that its submission would mail."""

    renderer_classes = (JSONRenderer, PlainTextRenderer)
    max_body = BodySize.TEMPLATE

    def get_parsers(self) -> list[BaseParser]:
        if self.request and self.request.method == "PATCH":
            return [StrictJSONParser(), MergePatchParser()]
        return [StrictJSONParser(), PlainTextParser()]

    @token_operation(
        "getDraft",
        "The draft of a case",
        scope=Scope.READ,
        response={"application/json": DraftSerializer, "text/plain": TEXT},
        about="For the editors of the case. With text/plain in Accept, or `draft.txt`, it is the text that a submission would mail.",
        refusals=(NOT_FOUND,),
        has_etag=True,
        parameters=(NUMBER,),
        links=SAVED_DRAFT_LINKS,
    )
    def get(self, request: Request, number: str, suffix: str = "") -> Response:
        return self._response(edited_case(number, self.user))

    @draft_write_operation(
        "saveDraft",
        "Write a draft",
        request={"application/json": DraftRequestSerializer, "text/plain": TEXT},
        about="The draft is not checked until it is submitted. A changed copy of the response to GET can be sent.",
        refusals=(TemplateUnreadable,),
    )
    def put(self, request: Request, number: str, suffix: str = "") -> Response:
        case = edited_case(number, self.user)
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
        about="The body is a JSON Merge Patch (RFC 7396): omitted sections stay, null empties a section.",
    )
    def patch(self, request: Request, number: str, suffix: str = "") -> Response:
        case = edited_case(number, self.user)
        self.validated_data(serializers.Serializer)  # an object
        check_removable(request.data)
        before = {
            "sections": case.draft_template.to_json(),
            "profile": case.draft_profile,
            "standards_action": case.standards_action,
        }
        return self._write(case, {"profile": None} | merge_patch(before, request.data))

    def _write(self, case: Case, sent: Any) -> Response:
        if isinstance(sent, dict):
            sent = {name: value for name, value in sent.items() if name not in READ_ONLY_MEMBERS}
        serializer = DraftRequestSerializer(data=sent)
        serializer.is_valid(raise_exception=True)
        choices = dict(serializer.validated_data)
        if "profile" in choices:
            choices["profile"] = choices["profile"] or ProposedProfile()
        if replies := choices.pop("replies", ()):
            choices["replies"] = {
                each["point"]: DraftReply(each["outcome"], each["text"]) for each in replies
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
        drafts.check_editable(case, by=self.user)
        if not matches_current(self.request, case):
            raise DraftChanged(case, template, choices.get("profile"))
        try:
            case = drafts.save_draft(case, template, by=self.user, stamp=case.draft_stamp, **choices)
        except drafts.StaleDraft as refusal:
            raise DraftChanged(refusal.case, template, choices.get("profile")) from refusal
        return self._response(case, parsed)

    def _response(self, case: Case, parsed: ParsedTemplate | None = None) -> Response:
        if self.request.accepted_renderer.format == PlainTextRenderer.format:
            text = format_template(drafts.complete_template(case, case.draft_template))
            return Response(text, headers={"ETag": etag_of(case, text.encode())})
        draft = SavedDraftSerializer(case, context={"reading": parsed}).data
        return Response(draft, headers={"ETag": json_etag_of(case, draft)})

    def conditional(self, request: HttpRequest, response: Response) -> HttpResponseBase:
        response.render()
        return apply_preconditions(request, response.get("ETag"), response)


def check_removable(patch: Any) -> None:
    """Raise ValidationError if the patch removes a member that cannot be empty."""
    fixed = [name for name in ("standards_action", "replies") if name in patch and patch[name] is None]
    if fixed:
        raise ValidationError(
            {name: ["This can't be removed. Leave it out to leave it as it is."] for name in fixed}
        )
