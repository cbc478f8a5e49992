"""Serializers for the profiles of namespaces."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.actions import RequestField, request_field
from registry.api.framework.fields import NullableCharField
from registry.namespaces.inputs import ProfileDocument
from registry.namespaces.models import ProfileVersion
from registry.namespaces.profile_documents import profile_from_json
from urnsyntax.profiles import Names, Profile
from urnsyntax.profiles.profile import SUBJECTS

TYPES = {str: "string", bool: "boolean", int: "integer"}
# A year, a month or a day.
DATE = {"type": "string", "pattern": "^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"}
GRAMMARS = ("abnf", "pattern", "unstated")


def document_schema(kind: type[Any] = Profile) -> dict[str, Any]:
    """The JSON Schema of a class of `urnsyntax.profiles.profile`."""
    hints = get_type_hints(kind)
    return {
        "type": "object",
        "properties": {
            each.name: DATE if each.name.endswith("_on") else _value_schema(hints[each.name])
            for each in fields(kind)
        },
        "required": [each.name for each in fields(kind) if each.default is MISSING],
        "additionalProperties": False,
    }


def _value_schema(hint: Any) -> dict[str, Any]:
    if is_dataclass(hint):
        return document_schema(hint)  # type: ignore[arg-type]  # a class, not an instance
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _value_schema(get_args(hint)[0])}
    if hint in TYPES:
        return {"type": TYPES[hint]}
    values = next(get_args(each)[1] for each in (hint, *get_args(hint)) if get_origin(each) is Mapping)
    return {"type": "object", "additionalProperties": _value_schema(values)}


@extend_schema_field(document_schema())
class DocumentField(serializers.JSONField):
    """A profile with the keys of its TOML file, without empty values."""

    default_error_messages = {"object": "This must be an object or null."}

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            self.fail("object")
        return data


class SpecificationSerializer(serializers.Serializer[Any]):
    """A document that specifies the identifiers."""

    title = serializers.CharField()
    url = NullableCharField()


class GrammarSerializer(serializers.Serializer[Names]):
    """The grammar of the namespace specific string. If the kind is `unstated`, `text` gives the reason."""

    kind = serializers.SerializerMethodField()
    text = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ChoiceField(choices=GRAMMARS))
    def get_kind(self, names: Names) -> str:
        return next(kind for kind in GRAMMARS if getattr(names, kind))

    def get_text(self, names: Names) -> str:
        return str(getattr(names, self.get_kind(names)))


class ProfileExampleSerializer(serializers.Serializer[Any]):
    """A name of the namespace, and what it names."""

    urn = serializers.CharField()
    description = NullableCharField()


class ProfileSerializer(serializers.Serializer[ProfileVersion]):
    """Facts about a namespace in addition to its registration. `namespaces/{nid}/profile/` contains their sources."""

    version = serializers.IntegerField()
    title = serializers.CharField(source="value.title")
    summary = serializers.CharField(source="value.summary")
    resource = NullableCharField(source="value.resource", help_text="What one URN names.")
    organisation = NullableCharField(source="value.organisation")
    homepage = NullableCharField(source="value.homepage")
    subjects = serializers.ListField(child=serializers.ChoiceField(choices=SUBJECTS), source="value.subjects")
    keywords = serializers.ListField(child=serializers.CharField(), source="value.keywords")
    specifications = SpecificationSerializer(many=True, source="value.specifications")
    grammar = GrammarSerializer(source="value.names")
    ignores_case = serializers.BooleanField(source="value.names.ignores_case")
    ignored_characters = NullableCharField(source="value.names.ignored_characters")
    equivalence = NullableCharField(
        source="value.names.equivalence",
        help_text="The function that makes names equivalent, such as “isbn”.",
    )
    examples = ProfileExampleSerializer(many=True, source="value.names.examples")


class ProfileVersionSerializer(serializers.Serializer[Any]):
    """One version of the profile, which never changes. `profile` is null if the version removed it.

    `set_by` is null if the version comes from the registry's own files.
    """

    version = serializers.IntegerField()
    profile = DocumentField(source="content", allow_null=True)
    digest = serializers.CharField(help_text="The SHA-256 digest of the canonical JSON of `profile`.")
    basis = serializers.CharField(help_text="Why this version was set.")
    set_by = serializers.CharField(allow_null=True)
    set_at = serializers.DateTimeField()


class ProfileField(DocumentField):
    """A profile as JSON, whose value is the profile. Raises InvalidDocument."""

    def to_internal_value(self, data: Any) -> Any:
        return profile_from_json(super().to_internal_value(data))


@request_field.register
def _(parameter: ProfileDocument) -> RequestField:
    return ProfileField(allow_null=True, help_text="Null removes the current profile.")
