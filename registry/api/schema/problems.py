"""Problems and headers in the OpenAPI description: the members of RFC 9457, those of each type, and what responses
have.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.accounts.models import Scope
from registry.registration_template.checks.findings import Severity


def header_names(
    status: int, *, is_read: bool, is_write: bool, has_etag: bool, is_limited: bool
) -> Iterator[str]:
    """The headers of a response."""
    yield "Cache-Control"
    if is_limited:
        yield from ("RateLimit", "RateLimit-Policy")
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        yield "WWW-Authenticate"
    if status == HTTPStatus.CREATED:
        yield "Location"
    if is_write and status < HTTPStatus.BAD_REQUEST:
        yield "Registry-Sequence"
    if status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
        yield "Retry-After"
    if status in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
        yield from ("ETag",) if has_etag else ()
        yield from ("Last-Modified",) if has_etag and is_read else ()
        yield from ("Vary",) if is_read else ()


def _header(description: str, **schema: Any) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string", **schema}}


HEADERS: dict[str, Any] = {
    "Cache-Control": _header("Whether the response may be stored, and that it is validated before each use."),
    "ETag": _header("Changes if and only if the response changes. Send it back in If-None-Match."),
    "Last-Modified": _header("When the record last changed, if the response is one record."),
    "Vary": _header("The request headers that the response depends on."),
    "Location": _header("The address of what was created, if it has one.", format="uri"),
    "RateLimit": _header(
        "The limit that counted the request; of several, the limit with the fewest remaining requests: the requests that "
        "remain (r), and the seconds until all do (t)."
    ),
    "RateLimit-Policy": _header("The limit: the number of requests (q) in a number of seconds (w)."),
    "WWW-Authenticate": _header("The kind of token that is needed, and its scope."),
    "Log-Position": _header(
        "The number of the last event whose effects the file contains. The events after it continue a copy.",
        pattern="^[0-9]+$",
    ),
    "Registry-Sequence": _header(
        "The number of the last event of the audit log after a public change. Send it back with a read that has to show it.",
        pattern="^[0-9]+$",
    ),
    "Retry-After": _header("The number of seconds to wait.", pattern="^[0-9]+$"),
}
CONDITIONAL_PARAMETERS: dict[str, Any] = {
    "If-None-Match": "The ETag of a stored response. If it is current, the response is 304 without a body.",
    "If-Modified-Since": "The Last-Modified of a stored response, if it has no ETag.",
    "Registry-Sequence": "The number of an event of the audit log that the response must take into account.",
}


SEVERITIES = [each.value for each in Severity]


@extend_schema_field({"type": "string", "format": "uri-reference"})
class URIReferenceField(serializers.CharField):
    """An absolute or relative address."""


class ProblemSerializer(serializers.Serializer[Any]):
    """A problem (RFC 9457). `type` is the address of an explanation; `detail` describes this occurrence."""

    type = serializers.URLField(help_text="The address of the explanation of this problem type.")
    title = serializers.CharField(help_text="The problem type in words.")
    status = serializers.IntegerField(min_value=400, max_value=599, help_text="The status of the response.")
    detail = serializers.CharField(help_text="What is wrong, and what to do.")
    instance = URIReferenceField(help_text="The address of the request.")


ERRORS = "What is wrong, one entry for each place. At most ten are listed."


class ParameterErrorSerializer(serializers.Serializer[Any]):
    """A query parameter, and why it is invalid."""

    parameter = serializers.CharField(allow_blank=True, help_text="The name of the query parameter.")
    detail = serializers.CharField(help_text="What is wrong in this case.")


class ParameterProblemSerializer(ProblemSerializer):
    """Parameters that are unknown, repeated, missing or invalid."""

    # A serializer's own `errors` is not used.
    errors = ParameterErrorSerializer(many=True, help_text=ERRORS)  # type: ignore[assignment]


class FieldErrorSerializer(serializers.Serializer[Any]):
    """A JSON pointer (RFC 6901) into the body, and why the value there is invalid."""

    pointer = serializers.CharField(help_text="A JSON pointer (RFC 6901) to the place in the body.")
    detail = serializers.CharField(help_text="What is wrong in this case.")


class FieldsProblemSerializer(ProblemSerializer):
    """Invalid fields of the body."""

    errors = FieldErrorSerializer(many=True, help_text=ERRORS)  # type: ignore[assignment]


class FindingSerializer(serializers.Serializer[Any]):
    """A finding in a template: in which section, and by which rule."""

    section = serializers.CharField(help_text="The key of the section with the finding.")
    severity = serializers.ChoiceField(
        choices=SEVERITIES, help_text="Whether the finding prevents submission."
    )
    code = serializers.CharField(help_text="The code of the rule that was applied.")
    message = serializers.CharField(help_text="What was found, and what to do.")
    reference = serializers.CharField(help_text="The section of the document that contains the rule.")


class FindingsProblemSerializer(ProblemSerializer):
    """A template with findings that prevent its submission."""

    findings = FindingSerializer(
        many=True, help_text="The findings of the checks, in the order of the sections."
    )


class LimitProblemSerializer(ProblemSerializer):
    """The request has more than `limit`."""

    limit = serializers.IntegerField(help_text="The greatest number that is accepted.")


class LengthProblemSerializer(LimitProblemSerializer):
    """The request has `sent`, more than `limit`."""

    sent = serializers.IntegerField(help_text="The number that the request has.")


class PositionProblemSerializer(ProblemSerializer):
    """The log ends at event `last`."""

    last = serializers.IntegerField(help_text="The number of the last event of the log.")


class ScopeProblemSerializer(ProblemSerializer):
    """The scope that the token needs."""

    scope = serializers.ChoiceField(choices=Scope.choices, help_text="The scope that the token needs.")


class SecondFactorProblemSerializer(ProblemSerializer):
    """The page that adds a second factor."""

    add = serializers.URLField(help_text="The page that adds a passkey.")


class SignInProblemSerializer(ProblemSerializer):
    """The page that asks to confirm the sign-in."""

    sign_in = serializers.URLField(help_text="The page that asks to confirm the sign-in.")
