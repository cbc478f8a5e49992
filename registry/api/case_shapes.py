"""What a case looks like to everybody: in a list, and by itself."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.accounts.models import Recognition
from registry.api.pages import in_json
from registry.api.public_cases import PUBLIC_STATES
from registry.api.resources import absolute, address
from registry.api.rounds import RoundSerializer, rounds_of
from registry.namespaces.models import Kind
from registry.registrations.models import Procedure, Registration
from registry.registrations.rivals import rivals_of
from registry.registrations.standing import standing_of


class CaseLinks(serializers.Serializer[Any]):
    """The addresses around a case."""

    self = serializers.URLField()
    html = serializers.URLField()
    rounds = serializers.URLField()
    reviews = serializers.URLField()
    comments = serializers.URLField()
    events = serializers.URLField()
    namespace = serializers.URLField(allow_null=True)


class CaseSerializer(serializers.Serializer[Registration]):
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

    def get_requested_nid(self, case: Registration) -> str | None:
        return case.requested_nid or None

    def get_namespace(self, case: Registration) -> str | None:
        return case.namespace.nid if case.namespace else None

    def get_body(self, case: Registration) -> str | None:
        return case.body.name if case.body else None

    @extend_schema_field(serializers.ChoiceField(choices=Recognition.choices, allow_null=True))
    def get_recognition(self, case: Registration) -> str | None:
        return case.recognition if case.body else None

    @extend_schema_field(CaseLinks)
    def get_links(self, case: Registration) -> dict[str, str | None]:
        here = address("registration", number=case.pk)
        return {
            "self": here,
            "html": absolute(case.get_absolute_url()),
            "rounds": f"{here}rounds/",
            "reviews": f"{here}reviews/",
            "comments": f"{here}comments/",
            "events": f"{here}events/",
            "namespace": address("namespace", nid=case.namespace.nid) if case.namespace else None,
        }


class StandingSerializer(serializers.Serializer[Any]):
    """Who has the case now (empty when it is closed), what they are to do, and what comes after that."""

    holder = serializers.CharField(allow_blank=True)
    task = serializers.CharField()
    afterwards = serializers.CharField(allow_blank=True)


class RivalSerializer(serializers.Serializer[Any]):
    """Another open case that wants the same, or what could be taken for it."""

    case = serializers.IntegerField(source="case.pk")
    nid = serializers.CharField()
    reason = serializers.CharField()
    url = serializers.SerializerMethodField()

    def get_url(self, rival: Any) -> str:
        return address("registration", number=rival.case.pk)


class CaseDetailSerializer(CaseSerializer):
    """A case: where it stands, its rounds, and its rivals."""

    standing = serializers.SerializerMethodField()
    rounds = serializers.SerializerMethodField()
    rivals = serializers.SerializerMethodField()

    @extend_schema_field(StandingSerializer)
    def get_standing(self, case: Registration) -> dict[str, Any]:
        return StandingSerializer(standing_of(case)).data

    @extend_schema_field(RoundSerializer(many=True))
    def get_rounds(self, case: Registration) -> Any:
        return in_json(RoundSerializer, rounds_of(case))

    @extend_schema_field(RivalSerializer(many=True))
    def get_rivals(self, case: Registration) -> Any:
        return RivalSerializer(rivals_of(case), many=True).data
