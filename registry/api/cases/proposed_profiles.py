"""Proposed profiles in requests and responses. Their members are those of `ProposedProfile`."""

from typing import Any

from rest_framework import serializers

from registry.api.framework.fields import StrictCharField, StrictIntegerField, StrictSerializer
from registry.namespaces.proposals.checking import MAX_SUBJECTS
from registry.namespaces.proposals.confirmation import ConfirmedProfile
from registry.namespaces.proposals.proposed_profile import MEMBERS, ProposedProfile
from urnsyntax.profiles.profile import SUBJECTS

RequestFields = dict[str, serializers.Field[Any, Any, Any, Any]]


class ProposedProfileSerializer(serializers.Serializer[ProposedProfile]):
    """What the registrant proposes beside the template. A member that is not stated is an empty text."""

    def get_fields(self) -> RequestFields:
        return {each.key: serializers.CharField(help_text=each.guidance) for each in MEMBERS}


def proposed_profile_of(proposed: ProposedProfile) -> Any:
    """The member `profile` of a response."""
    return ProposedProfileSerializer(proposed).data if proposed else None


class ProposedProfileRequestSerializer(StrictSerializer):
    """A proposed profile. A member that is left out is empty."""

    def get_fields(self) -> RequestFields:
        return {each.key: StrictCharField(default="", help_text=each.guidance) for each in MEMBERS}

    def to_internal_value(self, data: Any) -> Any:
        return ProposedProfile(**super().to_internal_value(data))


class ConfirmedProfileRequestSerializer(StrictSerializer):
    """A proposed profile as the administrator confirms it."""

    def get_fields(self) -> RequestFields:
        return {
            **ProposedProfileRequestSerializer().get_fields(),
            "subjects": serializers.ListField(
                child=serializers.ChoiceField(SUBJECTS),
                max_length=MAX_SUBJECTS,
                default=list,
                help_text="One to three subjects, which replace those of the current profile. A new profile needs them.",
            ),
            "replaces": StrictIntegerField(
                default=0, help_text="The version of the current profile, 0 if there is none."
            ),
        }

    def to_internal_value(self, data: Any) -> Any:
        texts = super().to_internal_value(data)
        subjects, replaces = tuple(texts.pop("subjects")), texts.pop("replaces")
        return ConfirmedProfile(ProposedProfile(**texts), subjects, replaces)
