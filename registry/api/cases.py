"""Cases as those see them who act in them: beginning one, checking it, commenting on it."""

import re
from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.bodies import Body, PlainTextParser, StrictJSONParser, WholeNumber, Words, YesOrNo, asked
from registry.api.idempotency import once
from registry.api.namespaces import registered
from registry.api.personal import PersonalResource, person
from registry.api.registrations import CaseList, CommentList
from registry.api.resources import absolute, address
from registry.api.templates import read_sections, read_template, reading_of
from registry.appendix_a.parsing import Parsed
from registry.appendix_a.submission import Submission
from registry.errors import NotForYou
from registry.namespaces.models import Namespace
from registry.registrations import discussion, drafts, permissions
from registry.registrations.findings import blocking, findings_of
from registry.registrations.forms import BeginForm
from registry.registrations.models import Comment, Registration
from registry.registrations.rivals import rivals_of_draft
from registry.registrations.workflow import acts_open_to, moves_open_to

NUMBER = re.compile("[1-9][0-9]{0,17}")


def visible_case(number: str, user: User) -> Registration:
    """The case, if `user` may see it; else NotForYou, as if it did not exist."""
    cases = Registration.objects.visible_to(user).select_related("namespace", "registrant", "body")
    case = cases.filter(pk=int(number)).first() if NUMBER.fullmatch(number) else None
    if case is None:
        raise NotForYou(f"There is no case {number}.")
    return case


def case_for(user: User, case: Registration) -> dict[str, Any]:
    """A case as `user` sees it: where it stands, and which moves are open to them."""
    case = visible_case(str(case.pk), user)
    latest, number = case.latest_submission, case.pk
    is_editor = permissions.is_editor(user, case)
    open_to_them = [*moves_open_to(user, case), *acts_open_to(user, case)]
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
        "moves": {move.name: address(move.slug, number=number) for move in open_to_them},
        "links": {
            "html": absolute(case.get_absolute_url()),
            "draft": address("draft", number=number) if is_editor else None,
            "check": address("check", number=number) if is_editor else None,
            "comments": address("comments", number=number),
            "namespace": address("namespace", nid=case.namespace.nid) if case.namespace else None,
        },
    }


class Beginning(Body):
    """What a new case is to be, and, if it is written already, its template: as sections or as plain text."""

    kind = serializers.ChoiceField(choices=["formal", "informal"])
    procedure = serializers.ChoiceField(choices=["community", "fast_track"], default="community")
    body = Words(default="", help_text="The name of the requesting body, on the fast track.")
    standards_action = YesOrNo(required=False)
    sections = serializers.JSONField(required=False)
    template = Words(default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["template"] and "sections" in attrs:
            raise ValidationError({"template": ["Send the template as text or as sections, not as both."]})
        return attrs


class Registrations(CaseList, PersonalResource):
    """All cases, and the door for new ones."""

    scopes = {"POST": Scope.WRITE}

    @once
    def post(self, request: Request) -> Response:
        """Begin a case for a new namespace, as a draft that its editors alone see."""
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
    return Response(body, 201, headers={"Location": address("draft", number=case.pk)})


class Revise(PersonalResource):
    """`namespaces/{nid}/revise/`: begin a revision of one's own namespace, from its current text."""

    scopes = {"POST": Scope.WRITE}

    @once
    def post(self, request: Request, nid: str) -> Response:
        asked(request, Body)
        namespace = registered(nid, Namespace.objects.select_related("latest"))
        return begun(drafts.begin_revision(namespace, by=person(request)), person(request))


class Sections(Body):
    """Sections to be checked instead of those of the draft."""

    sections = serializers.JSONField(required=False)


class Check(PersonalResource):
    """`registrations/{number}/check/`: what the registry has to say of a draft, or of a text in its place."""

    scopes = {"POST": Scope.READ}
    parser_classes = (StrictJSONParser, PlainTextParser)

    @once
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
    body = asked(request, Sections)
    return read_sections(body["sections"]) if "sections" in body else None


class Saying(Body):
    """A comment on one round: on the section of that key, or on the whole."""

    round_number = WholeNumber()
    section = Words(default="")
    text = Words()


class Comments(CommentList, PersonalResource):
    """`registrations/{number}/comments/`: what was said of a case; and say something of a round, for everyone to read."""

    scopes = {"POST": Scope.WRITE}

    @once
    def post(self, request: Request, number: str) -> Response:
        case = visible_case(number, person(request))
        kept = discussion.comment(case, by=person(request), **asked(request, Saying))
        return Response(comment_as_said(kept, case), 201)


def comment_as_said(comment: Comment, case: Registration) -> dict[str, Any]:
    return {
        "number": comment.pk,
        "case": case.pk,
        "round": comment.submission.round,
        "section": comment.section or None,
        "author": str(comment.author),
        "at": comment.at,
        "text": comment.text,
        "html": absolute(f"{case.get_absolute_url()}#comment-{comment.pk}"),
    }
