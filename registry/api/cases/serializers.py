"""Cases in responses: in a list, on their own, and for a participant with the transitions open to them."""

from functools import cached_property
from typing import Any, cast

from django.db.models import prefetch_related_objects
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.accounts.models import Recognition
from registry.api.cases.rounds import RoundSerializer, rounds_of
from registry.api.framework.fields import NullableCharField, nid_field
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.namespaces.serializers import OrganisationLinkSerializer
from registry.api.registration_template import TemplateReadingSerializer
from registry.cases import permissions
from registry.cases.competing_cases import competing_cases_of
from registry.cases.models import PUBLIC_STATES, Case, State
from registry.cases.status import status_of
from registry.cases.workflow.available import all_allowed_for

# What a case has in the list, and not as its participants see it.
HIDDEN_FROM_PARTICIPANTS = {"is_open", "registrant", "begun_by", "links"}


class CaseLinksSerializer(serializers.Serializer[Case]):
    """Addresses related to a case."""

    self = LinkField("case", number="pk")
    html = PageLinkField()
    rounds = LinkField("rounds", number="pk", help_text="The address of the rounds.")
    reviews = LinkField("reviews", number="pk", help_text="The address of the reviews.")
    comments = LinkField("comments", number="pk", help_text="The address of the comments.")
    events = LinkField("case-events", number="pk", help_text="The address of the events.")
    namespace = LinkField(
        "namespace",
        nid="namespace.nid",
        allow_null=True,
        help_text="The address of the namespace that the case revises or has registered; null if there is none.",
    )


class CaseSerializer(serializers.ModelSerializer[Case]):
    """A case in a list."""

    number = serializers.IntegerField(source="pk", help_text="The number of the case.")
    state = serializers.ChoiceField(choices=PUBLIC_STATES, help_text="The state of the case in the process.")
    is_open = serializers.BooleanField(help_text="Whether the case is still under way.")
    subject = serializers.CharField(help_text="A short description of the case.")
    requested_nid = NullableCharField(help_text="The NID that the latest round requests.")
    namespace = serializers.CharField(
        source="namespace.nid",
        allow_null=True,
        help_text="The NID of the namespace that the case revises or has registered.",
    )
    body = serializers.CharField(
        source="body.name", allow_null=True, help_text="The requesting body, on the fast track."
    )
    recognition = serializers.SerializerMethodField()
    registrant = serializers.CharField(
        source="change_controller", help_text="The display name of the registrant, or of the organisation."
    )
    organisation = OrganisationLinkSerializer(
        allow_null=True,
        help_text="The organisation that is the change controller; null if that is a person.",
    )
    begun_by = serializers.CharField(
        source="registrant", help_text="The display name of the person who began the case."
    )
    changed_at = serializers.DateTimeField(
        help_text="The time of the last change of the case, its rounds, its reviews or its discussion."
    )
    links: serializers.Serializer[Case] = CaseLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = Case
        fields: tuple[str, ...] = (
            "number",
            "kind",
            "procedure",
            "state",
            "state_since",
            "is_open",
            "subject",
            "requested_nid",
            "namespace",
            "is_revision",
            "standards_action",
            "body",
            "recognition",
            "registrant",
            "organisation",
            "begun_by",
            "changed_at",
            "links",
        )
        read_only_fields = fields
        extra_kwargs = {
            "kind": {"help_text": "The kind of namespace: formal or informal."},
            "procedure": {
                "help_text": "The procedure of RFC 8141, Section 6: by experts, or the fast track."
            },
            "state_since": {"help_text": "The time since which the case has been in its state."},
            "is_revision": {"help_text": "Whether the case revises a registered namespace."},
            "standards_action": {"help_text": "Whether a standard is expected to define the namespace."},
        }

    @extend_schema_field(
        serializers.ChoiceField(
            choices=Recognition.choices,
            allow_null=True,
            help_text="The state of the recognition on the fast track; null on the other procedure.",
        )
    )
    def get_recognition(self, case: Case) -> str | None:
        return case.recognition if case.body else None


class CaseStatusSerializer(serializers.Serializer[Any]):
    """The people who act next, their task, and what follows. `waiting_for` is null if the case is closed."""

    waiting_for = NullableCharField(
        source="holder", help_text="The people who act next; null if the case is closed."
    )
    task = serializers.CharField(help_text="The next task.")
    afterwards = NullableCharField(help_text="What follows after the task.")


class CompetingCaseSerializer(serializers.Serializer[Any]):
    """Another open case that requests the same NID or a similar one."""

    number = serializers.IntegerField(source="case.pk", help_text="The number of the case.")
    nid = nid_field()
    reason = serializers.CharField(help_text="How the requested NIDs are alike.")
    url = LinkField("case", number="case.pk", help_text="The address.")
    html = PageLinkField("case")


class CaseDetailSerializer(CaseSerializer):
    """A case with its status, its rounds and its competing cases."""

    status = serializers.SerializerMethodField(help_text="The current status.")
    rounds = serializers.SerializerMethodField(help_text="The rounds, in order.")
    competing_cases = serializers.SerializerMethodField(
        help_text="Other open cases that request the same NID or a similar one."
    )

    class Meta(CaseSerializer.Meta):
        fields = (*CaseSerializer.Meta.fields, "status", "rounds", "competing_cases")
        read_only_fields = fields

    @extend_schema_field(CaseStatusSerializer)
    def get_status(self, case: Case) -> Any:
        return CaseStatusSerializer(status_of(case)).data

    @extend_schema_field(RoundSerializer(many=True))
    def get_rounds(self, case: Case) -> Any:
        return RoundSerializer(rounds_of(case), many=True).data

    @extend_schema_field(CompetingCaseSerializer(many=True))
    def get_competing_cases(self, case: Case) -> Any:
        return CompetingCaseSerializer(competing_cases_of(case), many=True).data


class ParticipantCaseLinksSerializer(serializers.Serializer[Case]):
    """Addresses related to a case. Those of the draft are null for users who are not its editors."""

    self = LinkField("actions", number="pk")
    html = PageLinkField()
    draft = LinkField(
        "draft",
        number="pk",
        allow_null=True,
        help_text="The address of the draft; null if the user cannot see it.",
    )
    check = LinkField(
        "check",
        number="pk",
        allow_null=True,
        help_text="The address that checks the draft; null if the user cannot see it.",
    )
    comments = LinkField("comments", number="pk", help_text="The address of the comments.")
    namespace = LinkField(
        "namespace",
        nid="namespace.nid",
        allow_null=True,
        help_text="The address of the namespace that the case revises or has registered; null if there is none.",
    )

    def to_representation(self, instance: Case) -> dict[str, Any]:
        links = super().to_representation(instance)
        is_editor = cast("ParticipantCaseSerializer", self.parent).is_editor
        return links if is_editor else links | {"draft": None, "check": None}


class ParticipantCaseSerializer(CaseSerializer):
    """A case as the user sees it. `actions` contains the address of each action and transition that they may take."""

    state = serializers.ChoiceField(choices=State.choices, help_text="The state of the case in the process.")
    round = serializers.IntegerField(
        source="latest_round_number", help_text="The number of the latest round; 0 before the first."
    )
    draft_stamp = serializers.SerializerMethodField(
        help_text="The number of times that the draft was saved; null if the user cannot see it."
    )
    actions = serializers.SerializerMethodField(
        help_text="The addresses of the actions that the user may take now, by name."
    )
    links = ParticipantCaseLinksSerializer(source="*", help_text="Related addresses.")

    class Meta(CaseSerializer.Meta):
        fields = (
            *(name for name in CaseSerializer.Meta.fields if name not in HIDDEN_FROM_PARTICIPANTS),
            "round",
            "draft_stamp",
            "actions",
            "links",
        )
        read_only_fields = fields

    @cached_property
    def is_editor(self) -> bool:
        return permissions.is_editor(self.context["user"], cast("Case", self.instance))

    def get_draft_stamp(self, case: Case) -> int | None:
        return case.draft_stamp if self.is_editor else None

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_actions(self, case: Case) -> dict[str, str]:
        prefetch_related_objects([case], "co_editors", "invitations")
        allowed = all_allowed_for(self.context["user"], case)
        return {action.name: api_url(action.slug, number=case.pk) for action in allowed}


class CreatedCaseSerializer(ParticipantCaseSerializer):
    """A new case. `reading` describes how the plain text was read, if the request contained one."""

    reading = TemplateReadingSerializer(
        required=False, help_text="How the plain text of the template was read."
    )

    class Meta(ParticipantCaseSerializer.Meta):
        fields = (*ParticipantCaseSerializer.Meta.fields, "reading")
        read_only_fields = fields
