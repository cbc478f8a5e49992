"""Judgements of URNs by the profiles of their namespaces, and URNs that were probably meant, in responses."""

from typing import Any

from rest_framework import serializers

from registry.api.framework.fields import NullableCharField


class URNSuggestionSerializer(serializers.Serializer[Any]):
    """A URN that was probably meant, and the reason."""

    urn = serializers.CharField()
    reason = serializers.CharField()


class NamePartSerializer(serializers.Serializer[Any]):
    """A part of the name. `start` and `end` are its first and last index in the URN, as in a slice."""

    rule = serializers.CharField(help_text="The rule of the grammar, or the group of the pattern.")
    label = serializers.CharField()  # type: ignore[assignment]  # a member of the JSON
    text = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()


class CheckDigitsSerializer(serializers.Serializer[Any]):
    """The check digits of an identifier in the name."""

    algorithm = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a member of the JSON
    text = serializers.CharField(help_text="The identifier.")
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    is_right = serializers.BooleanField()
    expected = NullableCharField(help_text="What wrong check digits would be, if that can be computed.")


class JudgementSerializer(serializers.Serializer[Any]):
    """The judgement of a URN by the profile of its namespace.

    `conformant` is null if the profile states no rules, or the URN is too long to be judged.
    """

    profile_version = serializers.IntegerField(source="profile.version")
    title = serializers.CharField(source="judgement.profile.title", help_text="The title of the namespace.")
    resource = NullableCharField(source="judgement.profile.resource", help_text="What one URN names.")
    conformant = serializers.BooleanField(source="judgement.conformant", allow_null=True)
    reason = NullableCharField(
        source="judgement.reason", help_text="Why the URN is not conformant or was not judged."
    )
    position = serializers.IntegerField(
        source="judgement.position",
        allow_null=True,
        help_text="The index of the first wrong character in the URN, from 0.",
    )
    rule = NullableCharField(
        source="judgement.rule", help_text="The broken rule, or the algorithm of wrong check digits."
    )
    expected = NullableCharField(source="judgement.expected", help_text="What can stand at the position.")
    parts = NamePartSerializer(many=True, source="judgement.parts")
    check_digits = CheckDigitsSerializer(many=True, source="judgement.check_digits")
    canonical = serializers.CharField(
        source="judgement.canonical", help_text="The same for all URNs that are equivalent by the profile."
    )
    equivalents = serializers.ListField(
        child=serializers.CharField(),
        source="judgement.equivalents",
        help_text="Other spellings of a conformant URN; not all of them.",
    )
