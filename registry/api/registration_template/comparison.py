"""Comparisons of two templates in responses, and the parameters that choose the two."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.fields import QueryIntegerField
from registry.registration_template.diff import Change, DiffLine
from registry.registration_template.normal_form import MAX_VERSION

CHANGES = [each.value for each in Change]
Compared = TypeVar("Compared", bound=Model)


class ChangedLineSerializer(serializers.Serializer[DiffLine]):
    """A line of a comparison. A folded line represents `count` unchanged lines."""

    change = serializers.ChoiceField(choices=CHANGES)
    before = serializers.CharField(allow_blank=True, source="before_text")
    after = serializers.CharField(allow_blank=True, source="after_text")
    count = serializers.IntegerField()


class ChangedSectionSerializer(serializers.Serializer[Any]):
    """A section that differs, line by line."""

    section = serializers.CharField(source="key")
    title = serializers.CharField()
    change = serializers.ChoiceField(choices=CHANGES)
    lines = ChangedLineSerializer(many=True)


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": MAX_VERSION})
class ComparedNumberField(QueryIntegerField):
    """The number of a version or of a round."""


class ComparisonQuerySerializer(serializers.Serializer[Any]):
    """The two that are compared; by default the latest two."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        texts = {
            "from": "The number of the text to begin with; by default the last but one. It may be greater than `to`: what was "
            "added is then removed, and the other way round.",
            "to": "The number of the text to end with; by default the last.",
        }
        return {
            name: ComparedNumberField(least=1, most=MAX_VERSION, required=False, help_text=text)
            for name, text in texts.items()
        }


class ComparisonSerializer(serializers.Serializer[Any]):
    """The differences from one text to another. `changes` contains the sections that differ."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {
            "from": serializers.IntegerField(source="older"),
            "to": serializers.IntegerField(source="newer"),
            "changes": ChangedSectionSerializer(many=True, source="comparison.changed"),
        }


def chosen_pair(
    parameters: Mapping[str, int], rows: QuerySet[Compared], key: str, numbers: Sequence[int]
) -> tuple[Compared, Compared]:
    """The two rows that are compared; no other one is read. `numbers` are those in the column `key`, two at least.

    Raises KeyError with a number that is not among them.
    """
    chosen = parameters.get("from", numbers[-2]), parameters.get("to", numbers[-1])
    found = {getattr(row, key): row for row in rows.filter(**{f"{key}__in": chosen})}
    return found[chosen[0]], found[chosen[1]]
