"""Namespaces and their profiles in responses."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.actions import RequestField, request_field
from registry.api.framework.fields import NID_HELP, NullableCharField, nid_field
from registry.api.framework.urls import LinkField, PageLinkField, ProofLinkField, api_url
from registry.api.registration_template import SectionsSerializer
from registry.namespaces.current_profiles import comparison_in_words
from registry.namespaces.inputs import ProfileDocument
from registry.namespaces.models import DATE_PATTERN, Namespace, ProfileVersion
from registry.namespaces.profile_documents import profile_from_json
from registry.namespaces.search import Status
from registry.organisations.models import Organisation
from urnsyntax.profiles import Names, Profile, schema
from urnsyntax.profiles.profile import SUBJECTS

TYPES = {str: "string", bool: "boolean", int: "integer"}
# A year, a month or a day.
DATE = {"type": "string", "pattern": "^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"}
GRAMMARS = ("abnf", "pattern", "unstated")


# What the members of a profile are, by the class that declares them.
DOCUMENT_TEXTS = {
    "Profile": {
        "nid": NID_HELP,
        "title": "What is named; abbreviations are written out.",
        "summary": "One to three sentences on the namespace, for people who do not know it.",
        "subjects": "The subjects under which the namespace is listed.",
        "names": "The rules for names, and examples.",
        "sources": "Where the facts are stated.",
        "resource": "What one URN names.",
        "organisation": "The organisation that is responsible for the identifiers.",
        "homepage": "The page of the organisation about the identifiers.",
        "keywords": "Further words by which the namespace is found.",
        "specifications": "The documents that specify the identifiers.",
        "services": "The services that resolve names.",
        "levels": "How the namespace is divided into sub-namespaces. Checks consult their lists.",
    },
    "Specification": {"title": "The title of the document.", "url": "The address."},
    "Names": {
        "abnf": "The grammar in ABNF (RFC 5234, RFC 7405); empty if there is none.",
        "pattern": "A regular expression (RE2) that a whole namespace specific string matches.",
        "unstated": "Why there is no grammar; empty if there is one.",
        "ignores_case": "Whether upper and lower case are equivalent in names.",
        "ignored_characters": "The characters that do not count when names are compared.",
        "equivalence": "The function that makes names equivalent, such as `isbn`.",
        "notes": "Remarks on the rules, for people.",
        "parts": "The titles of the parts, by the rule or the group of the grammar.",
        "checks": "The check digits that a name contains.",
        "examples": "Names that follow the rules.",
        "counterexamples": "Names that break the rules, each with the reason.",
    },
    "Check": {
        "algorithm": "The algorithm of the check digits, such as `isbn`.",
        "part": "The part that has the check digits; empty for the whole name.",
        "required": "Whether wrong check digits break the rules; otherwise they are noted.",
        "only": "The values of parts for which there are check digits.",
    },
    "Example": {"urn": "A URN.", "description": "What the URN names."},
    "Counterexample": {"urn": "A URN.", "reason": "Why it is not a name."},
    "Source": {
        "facts": "The keys of the profile for which the source was used.",
        "kind": "The kind of document.",
        "document": "The name of the document.",
        "section": "The section of the document.",
        "url": "The address.",
    },
    "Service": {
        "title": "The title of the service.",
        "kind": "What the service returns: a service of RFC 2483.",
        "template": "The address template (RFC 6570).",
        "examples": "Names that follow the rules.",
        "source": "The document that states the service.",
        "media_type": "The media type.",
        "language": "The language of the pages, as a language tag (BCP 47).",
        "priority": "Services with lower values come first.",
        "passes_q": "Whether the service understands a q-component.",
        "r_components": "The names in an r-component that the service understands.",
        "requires": "The parts that a name needs for the service to apply.",
        "only": "The values of parts for which the service applies, by the name of the part.",
        "checked_on": "The day on which a person tried the service.",
    },
    "Level": {
        "name": "What a sub-namespace of this level is called.",
        "coverage": "How much of the level is known: `complete`, `partial` or `free`.",
        "of": "The prefix below which the level stands; empty for the namespace itself, `*` for any other prefix.",
        "separator": "The characters that end a label; after the first one, another sub-namespace can follow.",
        "below": "What can follow a sub-namespace without a level of its own: `free` or `nothing`.",
        "rest": "What follows the last sub-namespace, in words.",
        "sample": "What can follow a prefix, with which it is normalized.",
        "source": "The document that lists the sub-namespaces.",
    },
    "PastRecord": {
        "date": "The day, the month or the year, as far as it is known.",
        "change": "What happened: `registered`, `changed`, `deprecated` or `retired`.",
        "title": "The title from then on.",
        "holder": "Who held it from then on.",
        "reference": "The document that defined it from then on.",
        "source": "Where the record was found.",
    },
    "DatedSource": {
        "document": "The name of the document.",
        "url": "The address.",
        "stated_on": "The day on which the document stated it.",
    },
}


def document_schema(kind: type[Any] = Profile) -> dict[str, Any]:
    """The JSON Schema of a class of `urnsyntax.profiles.profile`."""
    hints = get_type_hints(kind)
    return {
        "type": "object",
        "properties": {
            each.name: (DATE if each.metadata["read"] is schema.date else _value_schema(hints[each.name]))
            | {"description": DOCUMENT_TEXTS[kind.__name__][each.name]}
            for each in fields(kind)
        },
        "required": [each.name for each in fields(kind) if each.default is MISSING],
        "additionalProperties": False,
    }


def _value_schema(hint: Any) -> dict[str, Any]:
    if is_dataclass(hint):
        return document_schema(hint)  # type: ignore[arg-type]  # a class, not an instance
    if get_origin(hint) is UnionType and NoneType in get_args(hint):
        return _value_schema(get_args(hint)[0])
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

    title = serializers.CharField(help_text="The title of the document.")
    url = NullableCharField(help_text="The address; null if there is none.")


class GrammarSerializer(serializers.Serializer[Names]):
    """The grammar of the namespace specific string. If the kind is `unstated`, `text` gives the reason."""

    kind = serializers.SerializerMethodField(help_text="The language of the grammar, or that none is stated.")
    text = serializers.SerializerMethodField(help_text="The grammar; if none is stated, the reason.")

    @extend_schema_field(serializers.ChoiceField(choices=GRAMMARS))
    def get_kind(self, names: Names) -> str:
        return next(kind for kind in GRAMMARS if getattr(names, kind))

    def get_text(self, names: Names) -> str:
        return str(getattr(names, self.get_kind(names)))


class ProfileExampleSerializer(serializers.Serializer[Any]):
    """A name of the namespace, and what it names."""

    urn = serializers.CharField(help_text="A URN.")
    description = NullableCharField(help_text="What the URN names; null if not stated.")


class ProfileSerializer(serializers.Serializer[ProfileVersion]):
    """Facts about a namespace in addition to its registration. `namespaces/{nid}/profile/` contains their sources."""

    version = serializers.IntegerField(help_text="The number of the version, from 1.")
    title = serializers.CharField(
        source="value.title", help_text="What is named; abbreviations are written out."
    )
    summary = serializers.CharField(
        source="value.summary",
        help_text="One to three sentences on the namespace, for people who do not know it.",
    )
    resource = NullableCharField(source="value.resource", help_text="What one URN names.")
    organisation = NullableCharField(
        source="value.organisation",
        help_text="The organisation that is responsible for the identifiers; null if unknown.",
    )
    homepage = NullableCharField(
        source="value.homepage",
        help_text="The page of the organisation about the identifiers; null if none is known.",
    )
    subjects = serializers.ListField(
        child=serializers.ChoiceField(choices=SUBJECTS),
        source="value.subjects",
        help_text="The subjects under which the namespace is listed.",
    )
    keywords = serializers.ListField(
        child=serializers.CharField(),
        source="value.keywords",
        help_text="Further words by which the namespace is found.",
    )
    specifications = SpecificationSerializer(
        many=True, source="value.specifications", help_text="The documents that specify the identifiers."
    )
    grammar = GrammarSerializer(
        source="value.names", help_text="The grammar of the namespace specific string."
    )
    ignores_case = serializers.BooleanField(
        source="value.names.ignores_case", help_text="Whether upper and lower case are equivalent in names."
    )
    ignored_characters = NullableCharField(
        source="value.names.ignored_characters",
        help_text="The characters that do not count when names are compared.",
    )
    equivalence = NullableCharField(
        source="value.names.equivalence",
        help_text="The function that makes names equivalent, such as “isbn”.",
    )
    examples = ProfileExampleSerializer(
        many=True, source="value.names.examples", help_text="Names of the namespace."
    )


class ProfileVersionSerializer(serializers.Serializer[Any]):
    """One version of the profile, which never changes. `profile` is null if the version removed it.

    `set_by` is null if the version comes from the registry's own files.
    """

    version = serializers.IntegerField(help_text="The number of the version, from 1.")
    profile = DocumentField(
        source="content", allow_null=True, help_text="The profile; null if there is none."
    )
    digest = serializers.CharField(help_text="The SHA-256 digest of the canonical JSON of `profile`.")
    basis = serializers.CharField(help_text="Why this version was set.")
    set_by = serializers.CharField(
        allow_null=True, help_text="The display name of the administrator; null if it was loaded from a file."
    )
    set_at = serializers.DateTimeField(help_text="The time at which the version was set.")
    proof = ProofLinkField("namespaces:profile_proof")


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

    type = serializers.CharField(help_text="The type of the document, such as `rfc` or `uri`.")
    label = NullableCharField(help_text="The name of the document.")  # type: ignore[assignment]  # a member of the JSON
    target = NullableCharField(help_text="The address or the number of the document.")


class NamespaceLinkSerializer(serializers.Serializer[Namespace]):
    """The address of a namespace."""

    namespace = LinkField("namespace", nid="nid", help_text="The address of the namespace.")


class NamespaceLinksSerializer(serializers.Serializer[Namespace]):
    """Addresses related to a namespace. `template` is null if only IANA has the text, `subnamespaces` without a list, `register`
    without one.
    """

    self = LinkField("namespace", nid="nid")
    html = PageLinkField()
    versions = LinkField("versions", nid="nid", help_text="The address of the versions.")
    template = serializers.SerializerMethodField(
        help_text="The address of the completed template as plain text; null if only IANA has it."
    )
    subnamespaces = serializers.SerializerMethodField(
        help_text="The address of the list of sub-namespaces; null without a list."
    )
    register = serializers.SerializerMethodField(
        help_text="The address of the register below the namespace; null without one."
    )

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_template(self, namespace: Namespace) -> str | None:
        has_text = namespace.latest_id is not None
        return api_url("namespace-template", nid=namespace.nid) if has_text else None

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_subnamespaces(self, namespace: Namespace) -> str | None:
        return api_url("subnamespaces", nid=namespace.nid) if namespace.has_subnamespaces else None

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_register(self, namespace: Any) -> str | None:
        return api_url("register", nid=namespace.nid) if namespace.register_number else None


class NamespaceVersionLinkSerializer(serializers.Serializer[Any]):
    """A version of a namespace and its addresses."""

    version = serializers.IntegerField(help_text="The number of the version, from 1.")
    url = LinkField("version", nid="nid", version="version", help_text="The address.")
    template = LinkField(
        "version-template",
        nid="nid",
        version="version",
        help_text="The address of the completed template as plain text.",
    )


class SuccessorSerializer(serializers.Serializer[Namespace]):
    """The namespace to use instead."""

    nid = nid_field()
    url = LinkField("namespace", nid="nid", help_text="The address.")


class DeprecationSerializer(serializers.Serializer[Namespace]):
    """When and why a namespace was deprecated."""

    deprecated_at = serializers.DateTimeField(help_text="The time of the deprecation.")
    statement = serializers.CharField(
        source="deprecation_statement",
        help_text="The reason for the deprecation, and advice for users of the namespace.",
    )
    successor = SuccessorSerializer(
        allow_null=True, help_text="The namespace to use for new names; null if there is none."
    )


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
    url = LinkField("organisation", organisation="pk", help_text="The address.")
    html = PageLinkField()


class NamespaceSerializer(serializers.ModelSerializer[Namespace]):
    """A namespace in a list. Unknown values are null, never empty texts."""

    title = serializers.CharField(
        source="profile_title", allow_null=True, help_text="The title in the profile."
    )
    status = serializers.SerializerMethodField(help_text="Whether the namespace is deprecated.")
    version = serializers.IntegerField(read_only=True, help_text="The number of the version, from 1.")
    registered_on = DayOrMonthField(help_text="YYYY-MM-DD, or YYYY-MM in entries of IANA's registry.")
    updated_on = DayOrMonthField(help_text="The last revision, like `registered_on`.")
    registrant = NullableCharField(
        source="holder", help_text="The organisation or person that registers the namespace; null if unknown."
    )
    purpose = NullableCharField(help_text="The purpose of the namespace; null if unknown.")
    references = ReferenceSerializer(many=True, help_text="Documents and pages about the namespace.")
    template_url = NullableCharField(help_text="The address of the template at IANA; null if it is unknown.")
    changed_at = serializers.DateTimeField(
        help_text="The time of the last change of the namespace, its profile, its services, its registrant or its history."
    )
    links = NamespaceLinksSerializer(source="*", help_text="Related addresses.")

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
        extra_kwargs = {
            "nid": {"help_text": NID_HELP},
            "kind": {"help_text": "The kind of namespace: formal or informal."},
            "number": {"help_text": "The number of an informal namespace; null for a formal one."},
            "origin": {"help_text": "Whether the registration was made here, or imported from IANA."},
        }

    @extend_schema_field(serializers.ChoiceField(choices=STATUSES))
    def get_status(self, namespace: Namespace) -> str:
        return STATUSES[namespace.is_deprecated]


class NamespaceDetailSerializer(NamespaceSerializer):
    """A namespace with the sections of its current registration, which are null if only IANA has the text."""

    title = serializers.CharField(
        source="profile.content.title", allow_null=True, help_text="The title in the profile."
    )
    sections = SectionsSerializer(
        source="latest.template",
        allow_null=True,
        help_text="The sections of the registration template; null if the registry does not have them.",
    )
    contact = serializers.SerializerMethodField(
        help_text="The contact beside the registered text, and whether it was confirmed; null without a registrant."
    )
    change_controller = OrganisationLinkSerializer(
        source="organisation",
        allow_null=True,
        help_text="The organisation that is responsible for the namespace; null if that is a person or is not known.",
    )
    versions = serializers.SerializerMethodField(help_text="The versions of the registration, in order.")
    deprecation = serializers.SerializerMethodField(
        help_text="The deprecation; null if the namespace is not deprecated."
    )
    profile = ProfileSerializer(allow_null=True, help_text="The profile; null if there is none.")

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
    if body["links"]["subnamespaces"]:
        yield f"Sub-namespaces: {body['links']['subnamespaces']}"
    if body["links"]["register"]:
        yield f"Register: {body['links']['register']}"
    for reference in body["references"]:
        yield f"Reference: {reference['label'] or reference['target']}"


def _profile_text_lines(profile: dict[str, Any]) -> Iterator[str]:
    yield f"Title: {profile['title']}"
    yield f"Summary: {profile['summary']}"
    for label, name in (("Organisation", "organisation"), ("Homepage", "homepage")):
        if profile[name]:
            yield f"{label}: {profile[name]}"
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
