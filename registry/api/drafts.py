"""`registrations/{number}/draft/`: the text of a case before, and between, its rounds; for its editors."""

import hashlib
import re
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.bodies import Body, MergePatchParser, PlainTextParser, StrictJSONParser, YesOrNo, asked
from registry.api.cases import visible_case
from registry.api.personal import PersonalResource, person
from registry.api.resources import absolute, address
from registry.api.templates import difference_of, read_sections, read_template, reading_of
from registry.api.versions import PlainTextRenderer
from registry.appendix_a.difference import compare
from registry.appendix_a.formatting import format_text
from registry.appendix_a.parsing import Parsed
from registry.appendix_a.submission import Submission
from registry.errors import RegistryError
from registry.registrations import drafts
from registry.registrations.models import Registration

# A draft's ETag: its stamp, and what tells one representation of it from another.
TAG = re.compile(r'"([0-9]{1,9})\.[0-9a-f]{8}"')
# What a draft says besides its text, and who sends a draft back changed sends with it.
NOT_WRITTEN = ("number", "draft_stamp", "saved_at", "links")


class IfMatchMissing(RegistryError):
    """An edit says in the header If-Match which draft it changes, so that nobody's words are overwritten."""

    status = HTTPStatus.PRECONDITION_REQUIRED
    title = "Say which draft you change"


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
        "links": {
            "self": address("draft", number=case.pk),
            "check": address("check", number=case.pk),
            "html": absolute(case.get_absolute_url()),
        },
    }


def etag_of(case: Registration, representation: bytes) -> str:
    return f'"{case.draft_stamp}.{hashlib.sha256(representation).hexdigest()[:8]}"'


def _bytes(draft: dict[str, Any]) -> bytes:
    return bytes(JSONRenderer().render(draft))


class WrittenDraft(Body):
    """A draft that is sent: sections that are left out are empty."""

    sections = serializers.JSONField()
    standards_action = YesOrNo(required=False)


class Draft(PersonalResource):
    """The draft of a case, as JSON or as the plain text that would be posted."""

    scopes = {"GET": Scope.READ, "HEAD": Scope.READ, "PUT": Scope.WRITE, "PATCH": Scope.WRITE}
    renderer_classes = (JSONRenderer, PlainTextRenderer)

    def get_parsers(self) -> list[BaseParser]:
        if self.request.method == "PATCH":
            return [StrictJSONParser(), MergePatchParser()]
        return [StrictJSONParser(), PlainTextParser()]

    def get(self, request: Request, number: str) -> Response:
        return self._answer(self._case(request, number))

    def put(self, request: Request, number: str) -> Response:
        """Write the whole draft, sound or not."""
        case = self._case(request, number)
        if isinstance(request.data, str):
            parsed = read_template(request.data)
            return self._save(case, parsed.submission, parsed=parsed)
        return self._write(case, request.data)

    def patch(self, request: Request, number: str) -> Response:
        """Write some sections: a JSON Merge Patch (RFC 7396), in which null empties."""
        case = self._case(request, number)
        asked(request, serializers.Serializer)  # an object
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
        answer = get_conditional_response(request, etag=response.get("ETag"), response=response)
        return answer or response


def is_meant(request: Request, case: Registration) -> bool:
    """Whether If-Match names the draft as it is now. Raises IfMatchMissing."""
    header = request.headers.get("If-Match", "").strip()
    if not header:
        raise IfMatchMissing(
            "Send the draft's ETag in the header If-Match: a GET of this address answers it."
        )
    stamps = {int(tag[1]) for each in header.split(",") if (tag := TAG.fullmatch(each.strip()))}
    return header == "*" or case.draft_stamp in stamps


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
