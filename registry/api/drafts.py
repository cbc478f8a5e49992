"""`registrations/{number}/draft/`: the text of a case before, and between, its rounds; for its editors."""

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
from registry.api.bodies import (
    Body,
    MergePatchParser,
    PlainTextParser,
    StrictJSONParser,
    YesOrNo,
    asked,
    text_in,
)
from registry.api.cases import FROM_DRAFT, visible_case
from registry.api.description import NUMBER, TEXT, Kind, Method, with_members
from registry.api.description_writing import REMARK, asking, sending
from registry.api.personal import PersonalResource, person
from registry.api.problems import NOT_FOUND
from registry.api.registrations import OF_CASE
from registry.api.renderers import PlainTextRenderer
from registry.api.resources import PreconditionFailed, absolute, address, held_against_conditions
from registry.api.shapes import (
    AnswerToPoint,
    DraftChangedProblem,
    DraftShape,
    PatchedDraft,
    SectionsField,
    WrittenDraftShape,
)
from registry.api.templates import (
    SectionsRefused,
    TemplateUnreadable,
    difference_of,
    read_sections,
    read_template,
    reading_of,
)
from registry.appendix_a.difference import compare
from registry.appendix_a.formatting import format_text
from registry.appendix_a.parsing import Parsed
from registry.appendix_a.submission import Submission
from registry.errors import RegistryError
from registry.registrations import drafts
from registry.registrations.answers import Reply, UnknownActionPoint, open_points_of, replies_in
from registry.registrations.drafts import DraftClosed
from registry.registrations.models import Registration

# A draft's ETag: its stamp, and what tells one representation of it from another.
TAG = re.compile(r'"([0-9]{1,9})\.[0-9a-f]{8}"')
# What a draft says besides its text, and who sends a draft back changed sends with it.
NOT_WRITTEN = ("number", "draft_stamp", "saved_at", "action_points", "links")


class IfMatchMissing(RegistryError):
    """An edit says in the header If-Match which draft it changes, so that nobody's words are overwritten."""

    status = HTTPStatus.PRECONDITION_REQUIRED
    title = "Say which draft you change"


@with_members(DraftChangedProblem, current={}, difference=[])
class DraftChanged(RegistryError):
    """The draft was saved since: `current` is what it says now, `difference` what would change in it."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "The draft was changed meanwhile"

    def __init__(self, case: Registration, sent: Submission) -> None:
        super().__init__(
            f"This draft was saved at {case.draft_saved_at:%Y-%m-%d %H:%M:%S} UTC, after the one that If-Match "
            "names. Look at the difference, then send yours with the ETag of `current`."
        )
        current = draft_of(case)
        self.members = {
            "current": current | {"etag": etag_of(case, _bytes(current))},
            "difference": difference_of(compare(case.content, drafts.in_case(case, sent))),
        }


def draft_of(case: Registration) -> dict[str, Any]:
    """A draft as JSON."""
    return {
        "number": case.pk,
        "draft_stamp": case.draft_stamp,
        "saved_at": case.draft_saved_at,
        "standards_action": case.standards_action,
        "sections": drafts.in_case(case, case.content).to_json(),
        "action_points": _points_of(case),
        "links": {
            "self": address("draft", number=case.pk),
            "check": address("check", number=case.pk),
            "html": absolute(case.get_absolute_url()),
        },
    }


def _points_of(case: Registration) -> list[dict[str, Any]]:
    said = replies_in(case)
    return [
        {
            "number": point.pk,
            "section": point.section,
            "text": point.text,
            "outcome": said.get(point.pk, Reply()).outcome,
            "answer": said.get(point.pk, Reply()).text,
        }
        for point in open_points_of(case)
    ]


def etag_of(case: Registration, representation: bytes) -> str:
    return f'"{case.draft_stamp}.{hashlib.sha256(representation).hexdigest()[:8]}"'


def _bytes(draft: dict[str, Any]) -> bytes:
    return bytes(JSONRenderer().render(draft))


class WrittenDraft(Body):
    """A draft that is sent: sections that are left out are empty."""

    sections = SectionsField()
    standards_action = YesOrNo(required=False)
    answers = AnswerToPoint(many=True, required=False)


EDIT = (IfMatchMissing, DraftChanged, DraftClosed, SectionsRefused, UnknownActionPoint, *REMARK)
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of the draft that is changed, or * for whatever it is now. Without it the answer is 428.",
    examples=[OpenApiExample("an ETag", '"3.0f1e2d3c"'), OpenApiExample("any", "*")],
)
AS_READ = {**OF_CASE, "If-Match": "$response.header.ETag"}
FROM_WRITTEN = FROM_DRAFT | {"write": ("write_draft", AS_READ), "change": ("change_draft", AS_READ)}


def editing(
    name: str, summary: str, *, request: Any, about: str, refusals: Sequence[Kind] = ()
) -> Callable[[Method], Method]:
    """Describe a change of a draft, which names the draft that it changes."""
    return sending(
        name,
        summary,
        scope=Scope.WRITE,
        request=request,
        answers={"application/json": WrittenDraftShape, "text/plain": TEXT},
        about=about,
        refusals=(*EDIT, *refusals),
        parameters=(NUMBER, IF_MATCH),
        links=FROM_WRITTEN,
        is_once=False,
        has_etag=True,
        is_body_needed=True,
        sample={"sections": {"purpose": "Names trees in the care of botanical gardens."}},
    )


class Draft(PersonalResource):
    """The draft of a case, as JSON or as the plain text that would be posted."""

    renderer_classes = (JSONRenderer, PlainTextRenderer)

    def get_parsers(self) -> list[BaseParser]:
        if self.request and self.request.method == "PATCH":
            return [StrictJSONParser(), MergePatchParser()]
        return [StrictJSONParser(), PlainTextParser()]

    @asking(
        "draft",
        "The draft of a case",
        scope=Scope.READ,
        answers={"application/json": DraftShape, "text/plain": TEXT},
        about="For its editors. As plain text it is what would be posted if it were submitted.",
        refusals=(NOT_FOUND, PreconditionFailed),
        has_etag=True,
        parameters=(NUMBER,),
        links=FROM_WRITTEN,
    )
    def get(self, request: Request, number: str) -> Response:
        return self._answer(self._case(request, number))

    @editing(
        "write_draft",
        "Write a draft",
        request={"application/json": WrittenDraft, "text/plain": TEXT},
        about="Sound or not: it is checked when it is submitted. A draft can be sent back as it was read, changed.",
        refusals=(TemplateUnreadable,),
    )
    def put(self, request: Request, number: str) -> Response:
        case = self._case(request, number)
        if (text := text_in(request)) is not None:
            parsed = read_template(text)
            return self._save(case, parsed.submission, parsed=parsed)
        return self._write(case, request.data)

    @editing(
        "change_draft",
        "Change some sections of a draft",
        request={"application/json": PatchedDraft, "application/merge-patch+json": PatchedDraft},
        about="The body is a JSON Merge Patch (RFC 7396): what it leaves out stays, null empties.",
    )
    def patch(self, request: Request, number: str) -> Response:
        case = self._case(request, number)
        asked(request, serializers.Serializer)  # an object
        check_removable(request.data)
        before = {"sections": case.content.to_json(), "standards_action": case.standards_action}
        return self._write(case, merged(before, request.data))

    def _case(self, request: Request, number: str) -> Registration:
        case = visible_case(number, person(request))
        drafts.check_editor(case, by=person(request))
        return case

    def _write(self, case: Registration, sent: Any) -> Response:
        if isinstance(sent, dict):
            sent = {name: value for name, value in sent.items() if name not in NOT_WRITTEN}
        serializer = WrittenDraft(data=sent)
        serializer.is_valid(raise_exception=True)
        choices = dict(serializer.validated_data)
        if answers := choices.pop("answers", ()):
            choices["replies"] = {said["point"]: Reply(said["outcome"], said["text"]) for said in answers}
        return self._save(case, read_sections(choices.pop("sections")), **choices)

    def _save(
        self, case: Registration, content: Submission, *, parsed: Parsed | None = None, **choices: Any
    ) -> Response:
        by = person(self.request)
        drafts.check_editable(case, by=by)
        if not is_meant(self.request, case):
            raise DraftChanged(case, content)
        try:
            case = drafts.save_draft(case, content, by=by, stamp=case.draft_stamp, **choices)
        except drafts.DraftOvertaken as refusal:
            raise DraftChanged(refusal.registration, content) from refusal
        return self._answer(case, parsed)

    def _answer(self, case: Registration, parsed: Parsed | None = None) -> Response:
        if self.request.accepted_renderer.format == PlainTextRenderer.format:
            text = format_text(drafts.in_case(case, case.content))
            return Response(text, headers={"ETag": etag_of(case, text.encode())})
        body = draft_of(case)
        headers = {"ETag": etag_of(case, _bytes(body))}
        return Response(body | ({"reading": reading_of(parsed)} if parsed else {}), headers=headers)

    def conditional(self, request: HttpRequest, response: Response) -> HttpResponseBase:
        response.render()
        return held_against_conditions(request, response.get("ETag"), response)


def is_meant(request: Request, case: Registration) -> bool:
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


def merged(target: Any, patch: Any) -> Any:
    """`target` as `patch` changes it (RFC 7396, section 2)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result
