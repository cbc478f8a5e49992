"""What problems look like in the API's description: the members of RFC 9457, and those of each type."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


@extend_schema_field({"type": "string", "format": "uri-reference"})
class URIReferenceField(serializers.CharField):
    """An address, perhaps without its beginning."""


class ProblemSerializer(serializers.Serializer[Any]):
    """A refusal (RFC 9457). `type` is the address of its explanation, `detail` says what was wrong this time."""

    type = serializers.URLField()
    title = serializers.CharField()
    status = serializers.IntegerField(min_value=400, max_value=599)
    detail = serializers.CharField()
    instance = URIReferenceField()


class ParameterErrorSerializer(serializers.Serializer[Any]):
    """A parameter of the address, and what is wrong with it."""

    parameter = serializers.CharField(allow_blank=True)
    detail = serializers.CharField()


class ParameterProblemSerializer(ProblemSerializer):
    """Parameters that are unknown, given twice, missing or wrong."""

    errors = ParameterErrorSerializer(many=True)  # type: ignore[assignment]  # a serializer's own `errors` is not used


class FieldErrorSerializer(serializers.Serializer[Any]):
    """A JSON pointer (RFC 6901) into the body, and what is wrong there."""

    pointer = serializers.CharField()
    detail = serializers.CharField()


class FieldsProblemSerializer(ProblemSerializer):
    """Fields of the body that are wrong."""

    errors = FieldErrorSerializer(many=True)  # type: ignore[assignment]


class FindingSerializer(serializers.Serializer[Any]):
    """What is to do before a template can be submitted: in which section, by which rule."""

    section = serializers.CharField()
    severity = serializers.ChoiceField(choices=["blocking", "advice"])
    code = serializers.CharField()
    message = serializers.CharField()
    reference = serializers.CharField()


class FindingsProblemSerializer(ProblemSerializer):
    """A template that can't be submitted as it is; `findings` say what it lacks."""

    findings = FindingSerializer(many=True)


class CaseLinkSerializer(serializers.Serializer[Any]):
    """An open case."""

    case = serializers.IntegerField()
    html = serializers.URLField()


class NIDProblemSerializer(ProblemSerializer):
    """No namespace has this NID: it is malformed, can't be registered, is asked for in a case, or is free."""

    nid = serializers.CharField(allow_blank=True)
    nid_status = serializers.ChoiceField(choices=["malformed", "unregistrable", "requested", "free"])
    section = serializers.CharField()
    position = serializers.IntegerField(allow_null=True)
    rule = serializers.CharField(allow_null=True)
    pointed = serializers.CharField(allow_null=True)
    cases = CaseLinkSerializer(many=True)


class URNProblemSerializer(ProblemSerializer):
    """A text that is no URN: `position` counts to its first wrong character, `rule` refuses that."""

    urn = serializers.CharField(allow_blank=True)
    position = serializers.IntegerField()
    rule = serializers.CharField()
    section = serializers.CharField()
    document = serializers.CharField()
    reason = serializers.CharField()
    pointed = serializers.CharField()
