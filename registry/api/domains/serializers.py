"""Domains of organisations in requests and responses."""

from typing import Any

from rest_framework import serializers

from registry.api.framework.fields import (
    NullableCharField,
    NullableChoiceField,
)
from registry.api.framework.pagination import sparse_query
from registry.api.framework.urls import LinkField
from registry.domains.models import Method, OrganisationDomain


class DomainLinksSerializer(serializers.Serializer[OrganisationDomain]):
    """Addresses related to a domain."""

    check = LinkField("check-domain", organisation="organisation_id", number="pk")
    self = LinkField("domain", organisation="organisation_id", number="pk")


class DomainSerializer(serializers.ModelSerializer[OrganisationDomain]):
    """A domain of an organisation, and what proves it."""

    number = serializers.IntegerField(source="pk")
    proof = serializers.CharField(help_text="The text of the TXT record, or a line of the file.")
    record = serializers.CharField(source="record_name", help_text="The name of the TXT record.")
    file = serializers.URLField(source="file_address", help_text="The address of the file.")
    method = NullableChoiceField(choices=Method.values)
    failure = NullableCharField(help_text="Why the last check failed; null if it did not.")
    lost_at = serializers.DateTimeField(
        allow_null=True, help_text="When it stops being verified, if the proof stays missing; null otherwise."
    )
    links = DomainLinksSerializer(source="*")

    class Meta:
        model = OrganisationDomain
        fields = (
            "number",
            "domain",
            "proof",
            "record",
            "file",
            "added_at",
            "check_requested_at",
            "checked_at",
            "failure",
            "verified_at",
            "method",
            "lost_at",
            "links",
        )
        read_only_fields = fields


class DomainListSerializer(serializers.Serializer[Any]):
    """The domains of one organisation, by name."""

    results = DomainSerializer(many=True)


DomainQuerySerializer = sparse_query(DomainSerializer, always="number")
