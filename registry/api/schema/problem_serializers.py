"""Serializers of problems in the OpenAPI description: the members of RFC 9457, and those of each type."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.accounts.models import Scope
from registry.registration_template.checks.findings import Severity

SEVERITIES = [each.value for each in Severity]


@extend_schema_field({"type": "string", "format": "uri-reference"})
class URIReferenceField(serializers.CharField):
    """An absolute or relative address."""


class ProblemSerializer(serializers.Serializer[Any]):
    """A problem (RFC 9457). `type` is the address of an explanation; `detail` describes this occurrence."""

    type = serializers.URLField()
    title = serializers.CharField()
    status = serializers.IntegerField(min_value=400, max_value=599)
    detail = serializers.CharField()
    instance = URIReferenceField()


class ParameterErrorSerializer(serializers.Serializer[Any]):
    """A query parameter, and why it is invalid."""

    parameter = serializers.CharField(allow_blank=True)
    detail = serializers.CharField()


class ParameterProblemSerializer(ProblemSerializer):
    """Parameters that are unknown, repeated, missing or invalid."""

    errors = ParameterErrorSerializer(many=True)  # type: ignore[assignment]  # a serializer's own `errors` is not used


class FieldErrorSerializer(serializers.Serializer[Any]):
    """A JSON pointer (RFC 6901) into the body, and why the value there is invalid."""

    pointer = serializers.CharField()
    detail = serializers.CharField()


class FieldsProblemSerializer(ProblemSerializer):
    """Invalid fields of the body."""

    errors = FieldErrorSerializer(many=True)  # type: ignore[assignment]


class FindingSerializer(serializers.Serializer[Any]):
    """A finding in a template: in which section, and by which rule."""

    section = serializers.CharField()
    severity = serializers.ChoiceField(choices=SEVERITIES)
    code = serializers.CharField()
    message = serializers.CharField()
    reference = serializers.CharField()


class FindingsProblemSerializer(ProblemSerializer):
    """A template with findings that prevent its submission."""

    findings = FindingSerializer(many=True)


class LimitProblemSerializer(ProblemSerializer):
    """The request has more than `limit`."""

    limit = serializers.IntegerField()


class LengthProblemSerializer(LimitProblemSerializer):
    """The request has `sent`, more than `limit`."""

    sent = serializers.IntegerField()


class PositionProblemSerializer(ProblemSerializer):
    """The log ends at event `last`."""

    last = serializers.IntegerField(help_text="The number of the last event of the log.")


class ScopeProblemSerializer(ProblemSerializer):
    """The scope that the token needs."""

    scope = serializers.ChoiceField(choices=Scope.choices)


class SecondFactorProblemSerializer(ProblemSerializer):
    """The page that adds a second factor."""

    add = serializers.URLField(help_text="The page that adds a passkey.")


class SignInProblemSerializer(ProblemSerializer):
    """The page that asks to confirm the sign-in."""

    sign_in = serializers.URLField(help_text="The page that asks to confirm the sign-in.")
