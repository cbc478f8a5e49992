"""`cases/{number}/draft/`: the draft of a case, for its editors."""

import hashlib
import re
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.cases.proposed_profiles import (
    ProposedProfileRequestSerializer,
    ProposedProfileSerializer,
    proposed_profile_of,
)
from registry.api.cases.queries import DRAFT_LINKS, OF_CASE, edited_case
from registry.api.framework.conditional import apply_preconditions
from registry.api.framework.fields import (
    NullableCharField,
    NullableChoiceField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
    body_choice,
)
from registry.api.framework.methods import token_operation, write_operation
from registry.api.framework.parsers import MergePatchParser, PlainTextParser, StrictJSONParser, text_body
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.renderers import PlainTextRenderer
from registry.api.framework.urls import LinkField, PageLinkField
from registry.api.framework.views import TokenAPIView
from registry.api.registration_template import (
    ChangedSectionSerializer,
    ChangedSectionsField,
    SectionsField,
    SectionsRefused,
    SectionsSerializer,
    TemplateReadingSerializer,
    TemplateUnreadable,
    read_sections,
    read_template,
)
from registry.api.schema.operations import NUMBER, TEXT, Method, ProblemKind, with_problem_members
from registry.api.schema.problems import ProblemSerializer
from registry.api.schema.token_operations import OPTIONAL_TEXT_PROBLEMS
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import DraftClosed
from registry.cases.drafts.history import compare_texts
from registry.cases.drafts.replies import DraftReply, UnknownActionPoint, open_points_of, replies_in
from registry.cases.models import Case, Outcome
from registry.core.exceptions import RegistryError
from registry.core.validators import BodySize
from registry.namespaces.proposals.proposed_profile import MEMBERS, ProposedProfile
from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import ParsedTemplate
from registry.registration_template.template import RegistrationTemplate


def merge_patch(target: Any, patch: Any) -> Any:
    """`target` as `patch` changes it (RFC 7396, Section 2)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result


class ReplyRequestSerializer(StrictSerializer):
    """A reply to an action point: the change is done, or why it is not."""

    point = StrictIntegerField(help_text="The number of the action point.")
    outcome = body_choice(Outcome.choices, help_text="Whether the change was made.")
    text = StrictCharField(default="", help_text="What was changed, or why it was not.")


class DraftRequestSerializer(StrictSerializer):
    """A complete draft. Omitted sections are empty."""

    sections = SectionsField(
        help_text="The sections of the registration template. Omitted sections are empty."
    )
    profile = ProposedProfileRequestSerializer(
        required=False, allow_null=True, help_text="Null states nothing. If left out, it does not change."
    )
    standards_action = StrictBooleanField(
        required=False, help_text="Whether a standard is expected to define the namespace."
    )
    replies = ReplyRequestSerializer(many=True, required=False, help_text="The replies to the action points.")


@extend_schema_field(
    {
        "type": ["object", "null"],
        "properties": {
            each.key: {"type": ["string", "null"], "description": each.guidance} for each in MEMBERS
        },
        "additionalProperties": False,
    }
)
class ChangedProfileField(serializers.JSONField):
    """The members of the proposed profile to change. Null empties a member, or all."""


class DraftChangesSerializer(StrictSerializer):
    """Changes of a draft: a JSON Merge Patch (RFC 7396)."""

    sections = ChangedSectionsField(
        required=False, help_text="The sections to change. A section that is null is emptied."
    )
    profile = ChangedProfileField(
        required=False, help_text="The members of the proposed profile to change. Null removes it."
    )
    standards_action = serializers.BooleanField(
        required=False, help_text="Whether a standard is expected to define the namespace."
    )
    replies = ReplyRequestSerializer(many=True, required=False, help_text="The replies to the action points.")


class DraftReplySerializer(serializers.Serializer[Any]):
    """The reply to an action point in a draft. It may be incomplete."""

    outcome = NullableChoiceField(Outcome.choices, help_text="Whether the change was made.")
    text = NullableCharField(help_text="What was changed, or why it was not.")


class OpenActionPointSerializer(serializers.Serializer[Any]):
    """An action point of the latest round, and the reply in the draft."""

    number = serializers.IntegerField(source="point.pk", help_text="The number, counted from 1.")
    section = serializers.CharField(source="point.section", help_text="The key of the section to change.")
    text = serializers.CharField(source="point.text", help_text="The requested change.")
    reply = DraftReplySerializer(help_text="The reply of the registrant.")


class DraftLinksSerializer(serializers.Serializer[Case]):
    """Addresses related to a draft."""

    self = LinkField("draft", number="pk")
    check = LinkField("check", number="pk", help_text="The address that checks the draft.")
    html = PageLinkField()


class DraftSerializer(serializers.Serializer[Case]):
    """The draft of a case. `draft_stamp` is the number of times that it was saved."""

    number = serializers.IntegerField(source="pk", help_text="The number of the case.")
    draft_stamp = serializers.IntegerField(help_text="The number of times that the draft was saved.")
    saved_at = serializers.DateTimeField(
        source="draft_saved_at", help_text="The time at which the draft was last saved."
    )
    standards_action = serializers.BooleanField(
        help_text="Whether a standard is expected to define the namespace."
    )
    sections = serializers.SerializerMethodField(help_text="The sections of the registration template.")
    profile = serializers.SerializerMethodField(help_text="The proposed profile; null if none was stated.")
    action_points = serializers.SerializerMethodField(
        help_text="The changes that a review requests, one for each section."
    )
    links = DraftLinksSerializer(source="*", help_text="Related addresses.")

    @extend_schema_field(SectionsSerializer)
    def get_sections(self, case: Case) -> Any:
        return SectionsSerializer(drafts.complete_template(case, case.draft_template)).data

    @extend_schema_field(ProposedProfileSerializer(allow_null=True))
    def get_profile(self, case: Case) -> Any:
        return proposed_profile_of(case.proposed_profile)

    @extend_schema_field(OpenActionPointSerializer(many=True))
    def get_action_points(self, case: Case) -> Any:
        replies = replies_in(case)
        points = open_points_of(case)
        rows = [{"point": point, "reply": replies.get(point.pk, DraftReply())} for point in points]
        return OpenActionPointSerializer(rows, many=True).data


class SavedDraftSerializer(DraftSerializer):
    """A saved draft. `reading` describes how the plain text was read, if the request contained one."""

    reading = TemplateReadingSerializer(
        required=False, help_text="How the plain text of the template was read."
    )


# The ETag of a draft: its stamp, and a digest of the representation.
ETAG = re.compile(r'"([0-9]{1,9})\.[0-9a-f]{8}"')


class IfMatchMissing(RegistryError):
    """A change of a draft names the draft in the header If-Match, so that no other change is overwritten."""

    status = HTTPStatus.PRECONDITION_REQUIRED
    title = "If-Match required"


def etag_of(case: Case, representation: bytes) -> str:
    """The ETag of a representation of the draft."""
    return f'"{case.draft_stamp}.{hashlib.sha256(representation).hexdigest()[:8]}"'


def json_etag_of(case: Case, draft: dict[str, Any]) -> str:
    """The ETag of the JSON representation of the draft. `reading` describes a request, so it does not count."""
    representation = {name: value for name, value in draft.items() if name != "reading"}
    return etag_of(case, JSONRenderer().render(representation))


class CurrentDraftSerializer(DraftSerializer):
    """A draft with the ETag that a change of it needs."""

    etag = serializers.CharField(help_text="The ETag to send in If-Match.")

    def to_representation(self, instance: Case) -> dict[str, Any]:
        draft = DraftSerializer(instance).data
        return draft | {"etag": json_etag_of(instance, draft)}


class DraftChangedProblemSerializer(ProblemSerializer):
    """The current draft, and the changes that the request would make in it."""

    current = CurrentDraftSerializer(help_text="The draft as it is now.")
    difference = ChangedSectionSerializer(
        many=True, help_text="The sections that differ from the draft that was sent."
    )


@with_problem_members(DraftChangedProblemSerializer)
class DraftChanged(RegistryError):
    """The draft was saved since. `current` is the draft now, `difference` what the request would change in it."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "The draft has changed"

    def __init__(
        self, case: Case, sent: RegistrationTemplate, profile: ProposedProfile | None = None
    ) -> None:
        super().__init__(
            f"This draft was saved at {case.draft_saved_at:%Y-%m-%d %H:%M:%S} UTC, after the one that If-Match "
            "names. Look at the difference, then send yours with the ETag of `current`."
        )
        current = case.proposed_profile
        difference = compare_texts(
            (case.draft_template, current),
            (drafts.complete_template(case, sent), current if profile is None else profile),
        )
        self.members = {
            "current": CurrentDraftSerializer(case).data,
            "difference": ChangedSectionSerializer(difference.changed, many=True).data,
        }


def matches_current(request: Request, case: Case) -> bool:
    """Whether If-Match contains the ETag of the current draft. Raises IfMatchMissing."""
    header = request.headers.get("If-Match", "").strip()
    if not header:
        raise IfMatchMissing(
            "Send the ETag of the draft in the header If-Match. A GET request to this URL returns it."
        )
    stamps = {int(tag[1]) for each in header.split(",") if (tag := ETAG.fullmatch(each.strip()))}
    return header == "*" or case.draft_stamp in stamps


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
