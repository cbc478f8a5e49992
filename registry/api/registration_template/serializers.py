"""A registered template as JSON: its thirteen sections (RFC 8141, Appendix A)."""

from rest_framework import serializers

from registry.registration_template import Registrant, RegistrationTemplate


class RegistrantSerializer(serializers.Serializer[Registrant]):
    """Who registered the namespace, as the registered template itself says it."""

    organization = serializers.CharField()
    address = serializers.CharField()
    contact_person = serializers.CharField()
    email = serializers.CharField()
    phone = serializers.CharField()
    postal_address = serializers.CharField()
    fast_track = serializers.BooleanField()
    other = serializers.CharField()


class SectionsSerializer(serializers.Serializer[RegistrationTemplate]):
    """The sections in the template's order; an empty one is the empty text."""

    namespace_identifier = serializers.CharField()
    version = serializers.IntegerField()
    date = serializers.CharField()
    registrant = RegistrantSerializer()
    purpose = serializers.CharField()
    syntax = serializers.CharField()
    assignment = serializers.CharField()
    security_and_privacy = serializers.CharField()
    interoperability = serializers.CharField()
    resolution = serializers.CharField()
    documentation = serializers.CharField()
    additional_information = serializers.CharField()
    revision_information = serializers.CharField()
