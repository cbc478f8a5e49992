"""Namespaces and their profiles in responses."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.actions import RequestField, request_field
from registry.api.framework.fields import NullableCharField
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.registration_template import SectionsSerializer
from registry.namespaces.current_profiles import comparison_in_words
from registry.namespaces.inputs import ProfileDocument
from registry.namespaces.models import DATE_PATTERN, Namespace, ProfileVersion
from registry.namespaces.profile_documents import profile_from_json
from registry.namespaces.search import Status
from registry.organisations.models import Organisation
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


STATUSES = tuple(Status.values)


@extend_schema_field({"type": "string", "pattern": DATE_PATTERN})
class DayOrMonthField(NullableCharField):
    """A day or, from IANA's registry, a month; null if it is unknown."""


class ReferenceSerializer(serializers.Serializer[Any]):
    """A document or page about the namespace, such as an RFC."""

    type = serializers.CharField()
    label = NullableCharField()  # type: ignore[assignment]  # a member of the JSON
    target = NullableCharField()


class NamespaceLinkSerializer(serializers.Serializer[Namespace]):
    """The address of a namespace."""

    namespace = LinkField("namespace", nid="nid")


class NamespaceLinksSerializer(serializers.Serializer[Namespace]):
    """Addresses related to a namespace. `template` is null if only IANA has the text."""

    self = LinkField("namespace", nid="nid")
    html = PageLinkField()
    versions = LinkField("versions", nid="nid")
    template = serializers.SerializerMethodField()

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_template(self, namespace: Namespace) -> str | None:
        has_text = namespace.latest_id is not None
        return api_url("namespace-template", nid=namespace.nid) if has_text else None


class NamespaceVersionLinkSerializer(serializers.Serializer[Any]):
    """A version of a namespace and its addresses."""

    version = serializers.IntegerField()
    url = LinkField("version", nid="nid", version="version")
    template = LinkField("version-template", nid="nid", version="version")


class SuccessorSerializer(serializers.Serializer[Namespace]):
    """The namespace to use instead."""

    nid = serializers.CharField()
    url = LinkField("namespace", nid="nid")


class DeprecationSerializer(serializers.Serializer[Namespace]):
    """When and why a namespace was deprecated."""

    deprecated_at = serializers.DateTimeField()
    statement = serializers.CharField(source="deprecation_statement")
    successor = SuccessorSerializer(allow_null=True)


class ContactSerializer(serializers.Serializer[Any]):
    """The contact beside the registered text. Without one, `name` and `email` are null."""

    name = NullableCharField(help_text="The contact person or function.")
    email = NullableCharField(help_text="The e-mail address of the contact.")
    changed_at = serializers.DateTimeField(allow_null=True, help_text="When the contact was given.")
    confirmed_at = serializers.DateTimeField(help_text="When the contact was last confirmed.")
    unverified_since = serializers.DateTimeField(
        allow_null=True, help_text="Since when the contact should have been confirmed."
    )


class OrganisationLinkSerializer(serializers.Serializer[Organisation]):
    """An organisation, and its addresses."""

    number = serializers.IntegerField(source="pk", help_text="The number of the organisation.")
    name = serializers.CharField(help_text="The name of the organisation.")
    url = LinkField("organisation", organisation="pk")
    html = PageLinkField()


class NamespaceSerializer(serializers.ModelSerializer[Namespace]):
    """A namespace in a list. Unknown values are null, never empty texts."""

    title = serializers.CharField(
        source="profile_title", allow_null=True, help_text="The title in the profile."
    )
    status = serializers.SerializerMethodField()
    version = serializers.IntegerField(read_only=True)
    registered_on = DayOrMonthField(help_text="YYYY-MM-DD, or YYYY-MM in entries of IANA's registry.")
    updated_on = DayOrMonthField(help_text="The last revision, like `registered_on`.")
    registrant = NullableCharField(source="holder")
    purpose = NullableCharField()
    references = ReferenceSerializer(many=True)
    template_url = NullableCharField()
    changed_at = serializers.DateTimeField(
        help_text="The time of the last change of the namespace, its profile, its services, its registrant or its history."
    )
    links = NamespaceLinksSerializer(source="*")

    class Meta:
        model = Namespace
        fields: tuple[str, ...] = (
            "nid",
            "title",
            "kind",
            "number",
            "status",
            "origin",
            "version",
            "registered_on",
            "updated_on",
            "registrant",
            "purpose",
            "references",
            "template_url",
            "changed_at",
            "links",
        )
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=STATUSES))
    def get_status(self, namespace: Namespace) -> str:
        return STATUSES[namespace.is_deprecated]


class NamespaceDetailSerializer(NamespaceSerializer):
    """A namespace with the sections of its current registration, which are null if only IANA has the text."""

    title = serializers.CharField(
        source="profile.content.title", allow_null=True, help_text="The title in the profile."
    )
    sections = SectionsSerializer(source="latest.template", allow_null=True)
    contact = serializers.SerializerMethodField(
        help_text="The contact beside the registered text, and whether it was confirmed; null without a registrant."
    )
    change_controller = OrganisationLinkSerializer(
        source="organisation",
        allow_null=True,
        help_text="The organisation that is responsible for the namespace; null if that is a person or is not known.",
    )
    versions = serializers.SerializerMethodField()
    deprecation = serializers.SerializerMethodField()
    profile = ProfileSerializer(allow_null=True)

    class Meta(NamespaceSerializer.Meta):
        fields = (
            *NamespaceSerializer.Meta.fields[:-1],
            "sections",
            "change_controller",
            "contact",
            "versions",
            "deprecation",
            "profile",
            "links",
        )
        read_only_fields = fields

    @extend_schema_field(ContactSerializer(allow_null=True))
    def get_contact(self, namespace: Namespace) -> dict[str, Any] | None:
        contact = getattr(namespace, "contact", None)
        return ContactSerializer(contact).data if contact else None

    @extend_schema_field(NamespaceVersionLinkSerializer(many=True))
    def get_versions(self, namespace: Any) -> Any:
        rows = [{"nid": namespace.nid, "version": version} for version in namespace.versions]
        return NamespaceVersionLinkSerializer(rows, many=True).data

    @extend_schema_field(DeprecationSerializer(allow_null=True))
    def get_deprecation(self, namespace: Namespace) -> dict[str, Any] | None:
        return DeprecationSerializer(namespace).data if namespace.is_deprecated else None


def text_lines(body: dict[str, Any]) -> Iterator[str]:
    """The members of a namespace as lines of plain text."""
    yield f"NID: {body['nid']}"
    yield f"Kind: {body['kind']}"
    yield f"Status: {body['status']}"
    if deprecation := body["deprecation"]:
        yield f"Deprecated: {deprecation['deprecated_at'][:10]}: {' '.join(deprecation['statement'].split())}"
        if deprecation["successor"]:
            yield f"Successor: {deprecation['successor']['nid']}"
    yield f"Version: {body['version']}"
    for label, name in (
        ("Registered", "registered_on"),
        ("Updated", "updated_on"),
        ("Registrant", "registrant"),
        ("Template", "template_url"),
    ):
        if body[name]:
            yield f"{label}: {' '.join(body[name].split())}"
    if body["change_controller"]:
        yield f"Change controller: {body['change_controller']['name']}"
    if (contact := body["contact"]) and contact["unverified_since"]:
        yield f"Contact unverified since: {contact['unverified_since'][:10]}"
    if profile := body["profile"]:
        yield from _profile_text_lines(profile)
    for reference in body["references"]:
        yield f"Reference: {reference['label'] or reference['target']}"


def _profile_text_lines(profile: dict[str, Any]) -> Iterator[str]:
    yield f"Title: {profile['title']}"
    yield f"Summary: {profile['summary']}"
    for name in ("organisation", "homepage"):
        if profile[name]:
            yield f"{name.capitalize()}: {profile[name]}"
    grammar, text = profile["grammar"]["kind"], profile["grammar"]["text"]
    if grammar == "abnf":
        yield "Names match the grammar (ABNF):"
        yield from (f"  {line}" for line in text.splitlines())
    elif grammar == "pattern":
        yield f"Names match: {text}"
    names = Names(
        ignores_case=profile["ignores_case"],
        ignored_characters=profile["ignored_characters"] or "",
        equivalence=profile["equivalence"] or "",
    )
    if comparison := comparison_in_words(names):
        yield comparison
