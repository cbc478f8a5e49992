"""What a namespace looks like: in a list, by itself, and in words."""

from collections.abc import Iterator
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.urls import absolute_url, api_url
from registry.api.registration_template.serializers import SectionsSerializer
from registry.namespaces.models import Namespace, RulesVersion
from registry.namespaces.rules.naming_rules import Rules

STATUSES = ("active", "deprecated")


class ReferenceSerializer(serializers.Serializer[Any]):
    """Where something is written about the namespace: an RFC, a page."""

    type = serializers.CharField()
    target = serializers.CharField(allow_blank=True)
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # a member of the JSON


@extend_schema_field(ReferenceSerializer(many=True))
class ReferencesField(serializers.JSONField):
    """The references, as they are stored."""


class NamespaceLinksSerializer(serializers.Serializer[Any]):
    """The addresses around a namespace; there is no template where only IANA holds the text."""

    self = serializers.URLField()
    html = serializers.URLField()
    versions = serializers.URLField()
    template = serializers.URLField(allow_null=True)


class VersionLinkSerializer(serializers.Serializer[Any]):
    """A version of a namespace, and where it is."""

    version = serializers.IntegerField()
    url = serializers.URLField()
    template = serializers.URLField()


class SuccessorSerializer(serializers.Serializer[Any]):
    """The namespace to use instead."""

    nid = serializers.CharField()
    url = serializers.URLField()


class DeprecationSerializer(serializers.Serializer[Any]):
    """Since when and why a namespace is deprecated."""

    deprecated_at = serializers.DateTimeField()
    statement = serializers.CharField()
    successor = SuccessorSerializer(allow_null=True)


class RulesSerializer(serializers.Serializer[RulesVersion]):
    """How the names of a namespace are built, and which differences do not count when two are compared."""

    version = serializers.IntegerField()
    nss_pattern = serializers.SerializerMethodField(
        help_text="In the syntax of RE2; the whole NSS matches it."
    )
    ignores_case = serializers.BooleanField()
    ignored_characters = serializers.CharField(allow_blank=True)
    basis = serializers.CharField(help_text="Where the registration says so in words, which count.")
    set_at = serializers.DateTimeField()

    def get_nss_pattern(self, rules: RulesVersion) -> str | None:
        return rules.nss_pattern or None


class NamespaceSerializer(serializers.ModelSerializer[Namespace]):
    """A namespace in a list. What the registry does not know is null, never an empty text."""

    status = serializers.SerializerMethodField()
    version = serializers.IntegerField(read_only=True)
    registered_on = serializers.SerializerMethodField()
    updated_on = serializers.SerializerMethodField()
    registrant = serializers.SerializerMethodField()
    purpose = serializers.SerializerMethodField()
    references = ReferencesField(read_only=True)
    template_url = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    class Meta:
        model = Namespace
        fields: tuple[str, ...] = (
            "nid",
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
            "links",
        )
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=STATUSES))
    def get_status(self, namespace: Namespace) -> str:
        return STATUSES[namespace.is_deprecated]

    def get_registered_on(self, namespace: Namespace) -> str | None:
        return namespace.registered_on or None

    def get_updated_on(self, namespace: Namespace) -> str | None:
        return namespace.updated_on or None

    def get_registrant(self, namespace: Namespace) -> str | None:
        return namespace.holder or None

    def get_purpose(self, namespace: Namespace) -> str | None:
        return namespace.purpose or None

    def get_template_url(self, namespace: Namespace) -> str | None:
        return namespace.template_url or None

    @extend_schema_field(NamespaceLinksSerializer)
    def get_links(self, namespace: Namespace) -> dict[str, str | None]:
        nid = namespace.nid
        has_text = namespace.latest_id is not None
        return {
            "self": api_url("namespace", nid=nid),
            "html": absolute_url(namespace.get_absolute_url()),
            "versions": api_url("versions", nid=nid),
            "template": api_url("namespace-template", nid=nid) if has_text else None,
        }


class NamespaceDetailSerializer(NamespaceSerializer):
    """A namespace with the sections of its current registration: null when only IANA holds the text."""

    sections = serializers.SerializerMethodField()
    versions = serializers.SerializerMethodField()
    deprecation = serializers.SerializerMethodField()
    rules = RulesSerializer(allow_null=True)

    class Meta(NamespaceSerializer.Meta):
        fields = (
            *NamespaceSerializer.Meta.fields[:-1],
            "sections",
            "versions",
            "deprecation",
            "rules",
            "links",
        )
        read_only_fields = fields

    @extend_schema_field(SectionsSerializer(allow_null=True))
    def get_sections(self, namespace: Namespace) -> dict[str, Any] | None:
        return SectionsSerializer(namespace.latest.template).data if namespace.latest else None

    @extend_schema_field(VersionLinkSerializer(many=True))
    def get_versions(self, namespace: Any) -> list[dict[str, Any]]:
        return [version_links(namespace.nid, each) for each in namespace.versions]

    @extend_schema_field(DeprecationSerializer(allow_null=True))
    def get_deprecation(self, namespace: Namespace) -> dict[str, Any] | None:
        if namespace.deprecated_at is None:
            return None
        return {
            "deprecated_at": namespace.deprecated_at,
            "statement": namespace.deprecation_statement,
            "successor": self._successor(namespace.successor),
        }

    def _successor(self, successor: Namespace | None) -> dict[str, str] | None:
        if successor is None:
            return None
        return {
            "nid": successor.nid,
            "url": api_url("namespace", nid=successor.nid),
        }


def version_links(nid: str, version: int) -> dict[str, Any]:
    return {
        "version": version,
        "url": api_url("version", nid=nid, version=version),
        "template": api_url("version-template", nid=nid, version=version),
    }


def text_lines(body: dict[str, Any]) -> Iterator[str]:
    """What is known of a namespace, as text, a line each."""
    yield f"NID: {body['nid']}"
    yield f"Kind: {body['kind']}"
    yield f"Status: {body['status']}"
    if deprecation := body["deprecation"]:
        yield f"Deprecated: {deprecation['deprecated_at']:%Y-%m-%d}: {' '.join(deprecation['statement'].split())}"
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
    if rules := body["rules"]:
        yield from _rules_text_lines(rules)
    for reference in body["references"]:
        yield f"Reference: {reference['label'] or reference['target']}"


def _rules_text_lines(rules: dict[str, Any]) -> Iterator[str]:
    if rules["nss_pattern"]:
        yield f"Names match: {rules['nss_pattern']}"
    said = Rules(ignores_case=rules["ignores_case"], ignored_characters=rules["ignored_characters"])
    if said.equivalence_in_words:
        yield said.equivalence_in_words
