"""`cases/{number}/check/`: check a draft, or another text for the same case."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.cases.proposed_profiles import ProposedProfileRequestSerializer
from registry.api.cases.queries import OF_CASE, SUBMIT_LINK, edited_case
from registry.api.cases.serializers import CompetingCaseSerializer
from registry.api.framework.fields import StrictSerializer
from registry.api.framework.methods import write_operation
from registry.api.framework.parsers import PlainTextParser, StrictJSONParser
from registry.api.framework.views import TokenAPIView
from registry.api.registration_template import (
    SectionsField,
    SectionsRefused,
    TemplateReadingSerializer,
    TemplateUnreadable,
    read_sections,
    read_template,
)
from registry.api.schema.operations import NUMBER, TEXT
from registry.api.schema.problems import FindingSerializer
from registry.api.schema.token_operations import OPTIONAL_TEXT_PROBLEMS
from registry.cases.competing_cases import competing_cases_of_draft
from registry.cases.drafts import drafts
from registry.cases.findings import blocking, findings_of
from registry.cases.models import Case
from registry.core.validators import BodySize
from registry.registration_template.parsing.parser import ParsedTemplate
from registry.registration_template.template import RegistrationTemplate


class CheckDraftRequestSerializer(StrictSerializer):
    """Sections, and a proposed profile, to check instead of those of the draft."""

    sections = SectionsField(
        required=False, help_text="The sections of the registration template. Omitted sections are empty."
    )
    profile = ProposedProfileRequestSerializer(
        required=False, allow_null=True, help_text="The proposed profile; null states nothing."
    )


class DraftCheckSerializer(serializers.Serializer[Any]):
    """The findings of a check. `is_ready` is true if no finding blocks the submission."""

    number = serializers.IntegerField(source="case.pk", help_text="The number of the case.")
    draft_stamp = serializers.IntegerField(
        source="case.draft_stamp", help_text="The number of times that the draft was saved."
    )
    is_ready = serializers.BooleanField(help_text="Whether no finding prevents submission.")
    findings = FindingSerializer(
        many=True, help_text="The findings of the checks, in the order of the sections."
    )
    competing_cases = CompetingCaseSerializer(
        many=True, help_text="Other open cases that request the same NID or a similar one."
    )
    reading = TemplateReadingSerializer(
        required=False, help_text="How the plain text was read, if the request contained one."
    )


class CheckDraftView(TokenAPIView):
    """Check a draft, or the text in the request for the same case."""

    parser_classes = (StrictJSONParser, PlainTextParser)
    max_body = BodySize.TEMPLATE

    @write_operation(
        "checkDraft",
        "Check a draft, or another text for the same case",
        scope=Scope.READ,
        request={"application/json": CheckDraftRequestSerializer, "text/plain": TEXT},
        response=DraftCheckSerializer,
        about="Changes nothing. A request without sections or template checks the draft.",
        refusals=(SectionsRefused, TemplateUnreadable, *OPTIONAL_TEXT_PROBLEMS),
        parameters=(NUMBER,),
        links={"draft": ("getDraft", OF_CASE), "submit": SUBMIT_LINK},
    )
    def post(self, request: Request, number: str) -> Response:
        case = edited_case(number, self.user)
        template, parsed = self._template()
        if template:
            case.draft = drafts.complete_template(case, template).to_json()  # not saved
        if isinstance(request.data, dict) and "profile" in request.data:
            proposed = self.validated_data(CheckDraftRequestSerializer)["profile"]
            case.draft_profile = proposed.to_json() if proposed else {}  # not saved
        return Response(DraftCheckSerializer(_check(case), context={"reading": parsed}).data)

    def _template(self) -> tuple[RegistrationTemplate | None, ParsedTemplate | None]:
        """The template in the request, if there is one, and how it was read, if it was a text."""
        if isinstance(self.request.data, str):
            parsed = read_template(self.request.data)
            return parsed.template, parsed
        body = self.validated_data(CheckDraftRequestSerializer)
        return (read_sections(body["sections"]) if "sections" in body else None), None


def _check(case: Case) -> dict[str, Any]:
    findings = findings_of(case)
    return {
        "case": case,
        "is_ready": not blocking(findings),
        "findings": findings,
        "competing_cases": competing_cases_of_draft(case),
    }
