"""Drafts in requests and responses."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.cases.proposed_profiles import (
    ProposedProfileRequestSerializer,
    ProposedProfileSerializer,
    proposed_profile_of,
)
from registry.api.framework.fields import (
    NullableCharField,
    NullableChoiceField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
    body_choice,
)
from registry.api.framework.urls import LinkField, PageLinkField
from registry.api.registration_template.serializers import (
    ChangedSectionsField,
    SectionsField,
    SectionsSerializer,
    TemplateReadingSerializer,
)
from registry.cases.drafts import drafts
from registry.cases.drafts.replies import DraftReply, open_points_of, replies_in
from registry.cases.models import Case, Outcome
from registry.namespaces.proposals.proposed_profile import MEMBERS


class ReplyRequestSerializer(StrictSerializer):
    """A reply to an action point: the change is done, or why it is not."""

    point = StrictIntegerField(help_text="The number of the action point.")
    outcome = body_choice(Outcome.choices)
    text = StrictCharField(default="")


class DraftRequestSerializer(StrictSerializer):
    """A complete draft. Omitted sections are empty."""

    sections = SectionsField()
    profile = ProposedProfileRequestSerializer(
        required=False, allow_null=True, help_text="Null states nothing. If left out, it does not change."
    )
    standards_action = StrictBooleanField(required=False)
    replies = ReplyRequestSerializer(many=True, required=False)


@extend_schema_field(
    {
        "type": ["object", "null"],
        "properties": {each.key: {"type": ["string", "null"]} for each in MEMBERS},
        "additionalProperties": False,
    }
)
class ChangedProfileField(serializers.JSONField):
    """The members of the proposed profile to change. Null empties a member, or all."""


class DraftChangesSerializer(StrictSerializer):
    """Changes of a draft: a JSON Merge Patch (RFC 7396)."""

    sections = ChangedSectionsField(required=False)
    profile = ChangedProfileField(required=False)
    standards_action = serializers.BooleanField(required=False)
    replies = ReplyRequestSerializer(many=True, required=False)


class DraftReplySerializer(serializers.Serializer[Any]):
    """The reply to an action point in a draft. It may be incomplete."""

    outcome = NullableChoiceField(Outcome.choices)
    text = NullableCharField()


class OpenActionPointSerializer(serializers.Serializer[Any]):
    """An action point of the latest round, and the reply in the draft."""

    number = serializers.IntegerField(source="point.pk")
    section = serializers.CharField(source="point.section")
    text = serializers.CharField(source="point.text")
    reply = DraftReplySerializer()


class DraftLinksSerializer(serializers.Serializer[Case]):
    """Addresses related to a draft."""

    self = LinkField("draft", number="pk")
    check = LinkField("check", number="pk")
    html = PageLinkField()


class DraftSerializer(serializers.Serializer[Case]):
    """The draft of a case. `draft_stamp` is the number of times that it was saved."""

    number = serializers.IntegerField(source="pk")
    draft_stamp = serializers.IntegerField()
    saved_at = serializers.DateTimeField(source="draft_saved_at")
    standards_action = serializers.BooleanField()
    sections = serializers.SerializerMethodField()
    profile = serializers.SerializerMethodField()
    action_points = serializers.SerializerMethodField()
    links = DraftLinksSerializer(source="*")

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

    reading = TemplateReadingSerializer(required=False)
