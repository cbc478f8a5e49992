"""What a case looks like to everybody: in a list, and by itself."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.accounts.models import Recognition
from registry.api.cases.public import PUBLIC_STATES
from registry.api.cases.rounds import RoundSerializer, rounds_of
from registry.api.framework.pagination import serialize_rows
from registry.api.framework.urls import absolute_url, api_url
from registry.cases.competing_cases import competing_cases_of
from registry.cases.models import Case, Procedure
from registry.cases.status import status_of
from registry.namespaces.models import Kind


class CaseLinksSerializer(serializers.Serializer[Any]):
    """The addresses around a case."""

    self = serializers.URLField()
    html = serializers.URLField()
    rounds = serializers.URLField()
    reviews = serializers.URLField()
    comments = serializers.URLField()
    events = serializers.URLField()
    namespace = serializers.URLField(allow_null=True)


class CaseSerializer(serializers.Serializer[Case]):
    """A case in a list: what it asks for, and where it stands."""

    number = serializers.IntegerField(source="pk")
    kind = serializers.ChoiceField(choices=Kind.choices)
    procedure = serializers.ChoiceField(choices=Procedure.choices)
    state = serializers.ChoiceField(choices=PUBLIC_STATES)
    state_since = serializers.DateTimeField()
    is_open = serializers.BooleanField()
    subject = serializers.CharField(help_text="What it is about, in a few words.")
    requested_nid = serializers.SerializerMethodField(help_text="The NID that the latest round asks for.")
    namespace = serializers.SerializerMethodField(help_text="The NID of what is revised, or was registered.")
    is_revision = serializers.BooleanField()
    standards_action = serializers.BooleanField()
    body = serializers.SerializerMethodField(help_text="The requesting body, on the fast track.")
    recognition = serializers.SerializerMethodField()
    registrant = serializers.CharField()
    links = serializers.SerializerMethodField()

    def get_requested_nid(self, case: Case) -> str | None:
        return case.requested_nid or None

    def get_namespace(self, case: Case) -> str | None:
        return case.namespace.nid if case.namespace else None

    def get_body(self, case: Case) -> str | None:
        return case.body.name if case.body else None

    @extend_schema_field(serializers.ChoiceField(choices=Recognition.choices, allow_null=True))
    def get_recognition(self, case: Case) -> str | None:
        return case.recognition if case.body else None

    @extend_schema_field(CaseLinksSerializer)
    def get_links(self, case: Case) -> dict[str, str | None]:
        here = api_url("case", number=case.pk)
        return {
            "self": here,
            "html": absolute_url(case.get_absolute_url()),
            "rounds": f"{here}rounds/",
            "reviews": f"{here}reviews/",
            "comments": f"{here}comments/",
            "events": f"{here}events/",
            "namespace": api_url("namespace", nid=case.namespace.nid) if case.namespace else None,
        }


class CaseStatusSerializer(serializers.Serializer[Any]):
    """Who has the case now (empty when it is closed), what they are to do, and what comes after that."""

    holder = serializers.CharField(allow_blank=True)
    task = serializers.CharField()
    afterwards = serializers.CharField(allow_blank=True)


class CompetingCaseSerializer(serializers.Serializer[Any]):
    """Another open case that wants the same, or what could be taken for it."""

    case = serializers.IntegerField(source="case.pk")
    nid = serializers.CharField()
    reason = serializers.CharField()
    url = serializers.SerializerMethodField()

    def get_url(self, competing_case: Any) -> str:
        return api_url("case", number=competing_case.case.pk)


class CaseDetailSerializer(CaseSerializer):
    """A case: where it stands, its rounds, and the cases that compete with it."""

    status = serializers.SerializerMethodField()
    rounds = serializers.SerializerMethodField()
    competing_cases = serializers.SerializerMethodField()

    @extend_schema_field(CaseStatusSerializer)
    def get_status(self, case: Case) -> dict[str, Any]:
        return CaseStatusSerializer(status_of(case)).data

    @extend_schema_field(RoundSerializer(many=True))
    def get_rounds(self, case: Case) -> Any:
        return serialize_rows(RoundSerializer, rounds_of(case))

    @extend_schema_field(CompetingCaseSerializer(many=True))
    def get_competing_cases(self, case: Case) -> Any:
        return CompetingCaseSerializer(competing_cases_of(case), many=True).data
