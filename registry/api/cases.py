"""Cases as those see them who act in them: beginning one, checking it, commenting on it."""

from http import HTTPStatus
from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.bodies import (
    Body,
    Nothing,
    PlainTextParser,
    StrictJSONParser,
    WholeNumber,
    Words,
    YesOrNo,
    asked,
)
from registry.api.description import NID, NUMBER, TEXT, Link
from registry.api.description_writing import WORDS, asking, sending
from registry.api.namespaces import NamespaceUnknown, registered
from registry.api.parameters import number_of
from registry.api.personal import PersonalResource, person
from registry.api.problems import NOT_FOUND
from registry.api.registrations import OF_CASE, CaseList
from registry.api.resources import absolute, address
from registry.api.reviews import CommentList, CommentSerializer
from registry.api.shapes import ActedCase, BegunCase, CheckedDraft, SectionsField
from registry.api.templates import (
    SectionsRefused,
    TemplateUnreadable,
    read_sections,
    read_template,
    reading_of,
)
from registry.appendix_a.parsing import Parsed
from registry.appendix_a.submission import Submission
from registry.errors import NotForYou
from registry.namespaces.models import Kind, Namespace
from registry.registrations import discussion, drafts, permissions
from registry.registrations.discussion import CommentRefused, DiscussionClosed, NothingToDiscuss
from registry.registrations.findings import blocking, findings_of
from registry.registrations.forms import BeginForm
from registry.registrations.models import Procedure, Registration
from registry.registrations.rivals import rivals_of_draft
from registry.registrations.workflow import EVERYTHING, MOVE_BY_NAME, everything_open_to

# What comes next, in the description: of a draft, and of a case that is acted in.
SUBMIT: Link = ("submit", OF_CASE, {"draft_stamp": "$response.body#/draft_stamp"})
OF_ROUND = {"round_number": "$response.body#/round"}
FROM_DRAFT: dict[str, Link] = {
    "draft": ("draft", OF_CASE),
    "check": ("check", OF_CASE),
    "submit": SUBMIT,
    "moves": ("moves", OF_CASE),
}
FROM_CASE: dict[str, Link] = {move.label: (move.name, OF_CASE) for move in EVERYTHING} | {
    MOVE_BY_NAME["submit"].label: SUBMIT,
    MOVE_BY_NAME["request_completion"].label: ("request_completion", OF_CASE, OF_ROUND),
    MOVE_BY_NAME["assign"].label: ("assign", OF_CASE, OF_ROUND),
    "draft": ("draft", OF_CASE),
    "comment": ("comment", OF_CASE),
    "case": ("registration", OF_CASE),
}


WHOLE_CASES = Registration.objects.select_related("namespace", "registrant", "body")


def visible_case(number: str, user: User) -> Registration:
    """The case, if `user` may see it; else NotForYou, as if it did not exist."""
    case = WHOLE_CASES.visible_to(user).filter(pk=number_of(number)).first()
    if case is None:
        raise NotForYou(f"There is no case {number}.")
    return case


def case_for(user: User, case: Registration) -> dict[str, Any]:
    """A case as it is to `user`: where it stands, and which moves are open to them."""
    latest, number = case.latest_submission, case.pk
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
        "round": latest.round if latest else 0,
        "draft_stamp": case.draft_stamp if is_editor else None,
        "moves": {move.name: address(move.slug, number=number) for move in everything_open_to(user, case)},
        "links": {
            "self": address("moves", number=number),
            "html": absolute(case.get_absolute_url()),
            "draft": address("draft", number=number) if is_editor else None,
            "check": address("check", number=number) if is_editor else None,
            "comments": address("comments", number=number),
            "namespace": address("namespace", nid=case.namespace.nid) if case.namespace else None,
        },
    }


class Beginning(Body):
    """What a new case is to be, and, if it is written already, its template: as sections or as plain text."""

    kind = serializers.ChoiceField(choices=Kind.choices)
    procedure = serializers.ChoiceField(choices=Procedure.choices, default=Procedure.COMMUNITY)
    body = Words(default="", help_text="The name of the requesting body, on the fast track.")
    standards_action = YesOrNo(required=False)
    sections = SectionsField(required=False)
    template = Words(default="", help_text="The completed template, as plain text.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["template"] and "sections" in attrs:
            raise ValidationError({"template": ["Send the template as text or as sections, not as both."]})
        return attrs


class Registrations(CaseList, PersonalResource):
    """All cases, and the door for new ones."""

    @sending(
        "begin",
        "Begin a case for a new namespace",
        scope=Scope.WRITE,
        request=Beginning,
        answers=BegunCase,
        status=HTTPStatus.CREATED,
        about="It is a draft that its editors alone see until it is submitted. Location is that of the draft.",
        refusals=(SectionsRefused, TemplateUnreadable),
        links=FROM_DRAFT,
        sample={"kind": "formal", "sections": {"namespace_identifier": "example-trees"}},
    )
    def post(self, request: Request) -> Response:
        body, by = asked(request, Beginning), person(request)
        parsed = read_template(body["template"]) if body["template"] else None
        content = parsed.submission if parsed else read_sections(body.get("sections", {}))
        with transaction.atomic():
            case = _begun(body, by=by)
            choices = {key: body[key] for key in ("standards_action",) if key in body}
            case = drafts.save_draft(case, content, by=by, stamp=case.draft_stamp, **choices)
        return begun(case, by, parsed)


def _begun(body: dict[str, Any], *, by: User) -> Registration:
    """What the page's form makes of it. Raises ValidationError."""
    form = BeginForm({key: body[key] for key in ("kind", "procedure", "body")})
    if not form.is_valid():
        raise ValidationError({name: list(map(str, errors)) for name, errors in form.errors.items()})
    return form.begin(by=by)


def begun(case: Registration, by: User, parsed: Parsed | None = None) -> Response:
    """The answer to the beginning of a case: its address, and how the text was read if one was sent."""
    body = case_for(by, case) | ({"reading": reading_of(parsed)} if parsed else {})
    return Response(body, HTTPStatus.CREATED, headers={"Location": address("draft", number=case.pk)})


class OpenMoves(PersonalResource):
    """`registrations/{number}/moves/`: a case, also a draft, and what whoever asks may do in it now."""

    @asking(
        "moves",
        "What can be done in a case",
        scope=Scope.READ,
        answers=ActedCase,
        about="The case as the token's owner sees it, a draft included, with the moves that are open to them now.",
        refusals=(NOT_FOUND,),
        parameters=(NUMBER,),
        links=FROM_CASE,
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(case_for(person(request), visible_case(number, person(request))))


class Revise(PersonalResource):
    """`namespaces/{nid}/revise/`: begin a revision of one's own namespace, from its current text."""

    @sending(
        "revise",
        "Begin a revision of a namespace",
        scope=Scope.WRITE,
        request=Nothing,
        answers=BegunCase,
        status=HTTPStatus.CREATED,
        about="Its registrant begins it; it starts from the current text.",
        refusals=(NamespaceUnknown,),
        parameters=(NID,),
        links=FROM_DRAFT,
    )
    def post(self, request: Request, nid: str) -> Response:
        asked(request, Nothing)
        namespace = registered(nid, Namespace.objects.select_related("latest"))
        return begun(drafts.begin_revision(namespace, by=person(request)), person(request))


class SentSections(Body):
    """Sections to be checked instead of those of the draft."""

    sections = SectionsField(required=False)


class Check(PersonalResource):
    """`registrations/{number}/check/`: what the registry has to say of a draft, or of a text in its place."""

    parser_classes = (StrictJSONParser, PlainTextParser)

    @sending(
        "check",
        "Check a draft, or a text in its place",
        scope=Scope.READ,
        request={"application/json": SentSections, "text/plain": TEXT},
        answers=CheckedDraft,
        about="Changes nothing. Without sections and without a template the draft itself is checked.",
        refusals=(SectionsRefused, TemplateUnreadable),
        parameters=(NUMBER,),
        links={"draft": ("draft", OF_CASE), "submit": SUBMIT},
    )
    def post(self, request: Request, number: str) -> Response:
        case = visible_case(number, person(request))
        drafts.check_editor(case, by=person(request))
        if sent := _sent(request):
            case.draft = drafts.in_case(case, sent).to_json()  # not saved
        findings = findings_of(case)
        return Response(
            {
                "number": case.pk,
                "draft_stamp": case.draft_stamp,
                "is_ready": not blocking(findings),
                "findings": [finding.to_json() for finding in findings],
                "rivals": [
                    {
                        "number": rival.case.pk,
                        "nid": rival.nid,
                        "reason": rival.reason,
                        "html": absolute(rival.case.get_absolute_url()),
                    }
                    for rival in rivals_of_draft(case)
                ],
            }
        )


def _sent(request: Request) -> Submission | None:
    """What came to be checked; None when it is the draft."""
    if isinstance(request.data, str):
        return read_template(request.data).submission
    body = asked(request, SentSections)
    return read_sections(body["sections"]) if "sections" in body else None


class Saying(Body):
    """A comment on one round: on the section of that key, or on the whole; or an answer to another comment."""

    round_number = WholeNumber()
    section = Words(default="")
    text = Words()
    answers = WholeNumber(required=False, source="answered")


class Comments(CommentList, PersonalResource):
    """`registrations/{number}/comments/`: what was said of a case; and say something of a round, for everyone to read."""

    @sending(
        "comment",
        "Comment on a round",
        scope=Scope.WRITE,
        request=Saying,
        answers=CommentSerializer,
        status=HTTPStatus.CREATED,
        about="Everyone reads it. The same said twice in a row is kept once.",
        refusals=(CommentRefused, NothingToDiscuss, DiscussionClosed, *WORDS),
        parameters=(NUMBER,),
        links={"comments": ("comments", {"number": "$request.path.number"})},
        sample={"round_number": 1, "section": "purpose", "text": "Which trees are meant?"},
    )
    def post(self, request: Request, number: str) -> Response:
        case = visible_case(number, person(request))
        kept = discussion.comment(case, by=person(request), **asked(request, Saying))
        return Response(CommentSerializer(kept).data, HTTPStatus.CREATED)
