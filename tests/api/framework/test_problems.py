"""Refusals of every kind as problems (RFC 9457), through views that do nothing but refuse."""

import json
import logging
from http import HTTPStatus
from typing import Any

import pytest
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404
from django.test import Client
from django.urls import include, path
from rest_framework import exceptions, serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.api.framework.problems import ProblemType, all_types
from registry.api.framework.sessions import SessionAPIView
from registry.api.framework.views import PublicAPIView, TokenAPIView
from registry.cases.workflow.exceptions import SubmissionIncomplete
from registry.core.exceptions import NotPermitted, RegistryError
from registry.registration_template import Finding, Severity


class TeapotRefused(RegistryError):
    """A refusal of these tests."""

    status = HTTPStatus.IM_A_TEAPOT
    title = "No coffee"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.members = {"spout": "short"}


class Overloaded(exceptions.APIException):
    status_code = 503
    default_detail = "Come back later."


class Refusing(APIView):
    """Raises what the test puts here."""

    permission_classes = (AllowAny,)
    refusal: Exception

    def get(self, request: Request) -> Response:
        raise self.refusal


class Closed(APIView):
    """Says nothing of who may use it, so the default holds."""

    def get(self, request: Request) -> Response:
        return Response({"secret": True})


class Forgetful(TokenAPIView):
    """Declares no scope of the method that writes."""

    def post(self, request: Request) -> Response:
        return Response({"is_written": True})


class ForgetfulPublic(PublicAPIView):
    """Writes, and is no resource with tokens."""

    def post(self, request: Request) -> Response:
        return Response({"is_written": True})


class ForgetfulSession(SessionAPIView):
    """Writes, and needs no recent sign-in."""

    def post(self, request: Request) -> Response:
        return Response({"is_written": True})


class Form(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=5)
    tags = serializers.ListField(child=serializers.IntegerField())


class Reading(APIView):
    """Reads a body."""

    permission_classes = (AllowAny,)

    def post(self, request: Request) -> Response:
        form = Form(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(form.data)


class Echoing(APIView):
    """Refuses with the caller's own words."""

    permission_classes = (AllowAny,)

    def post(self, request: Request) -> Response:
        raise TeapotRefused(request.data["words"])


urlpatterns = [
    path("api/refusing/", Refusing.as_view()),
    path("api/closed/", Closed.as_view()),
    path("api/forgetful/", Forgetful.as_view()),
    path("api/forgetful/public/", ForgetfulPublic.as_view()),
    path("api/forgetful/session/", ForgetfulSession.as_view()),
    path("api/reading/", Reading.as_view()),
    path("api/echoing/", Echoing.as_view()),
    path("api/", include("registry.api.documentation.urls")),
    path("api/", include("registry.api.urls")),
]


@pytest.fixture(autouse=True)
def _addresses_of_this_file(settings: Any, db: None) -> None:
    settings.ROOT_URLCONF = __name__


def refuse(client: Client, refusal: Exception, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(Refusing, "refusal", refusal, raising=False)
    response = client.get("/api/refusing/")
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["status"] == response.status_code
    assert response.json()["instance"] == "/api/refusing/"
    return response


REFUSALS = [
    (exceptions.ParseError("Cut off."), 400, "unreadable-body"),
    (exceptions.AuthenticationFailed(), 401, "authentication-failed"),
    (exceptions.NotAuthenticated(), 401, "not-authenticated"),
    (exceptions.PermissionDenied(), 403, "forbidden"),
    (exceptions.NotFound(), 404, "not-found"),
    (exceptions.MethodNotAllowed("GET"), 405, "method-not-allowed"),
    (exceptions.NotAcceptable(), 406, "not-acceptable"),
    (exceptions.UnsupportedMediaType("a/b"), 415, "unsupported-media-type"),
    (exceptions.Throttled(wait=3.2), 429, "too-many-requests"),
    (Http404(), 404, "not-found"),
    (PermissionDenied(), 403, "forbidden"),
    (BadRequest(), 400, "invalid-request"),
    (SuspiciousOperation(), 400, "invalid-request"),
    (TeapotRefused("Tea only."), 418, "teapot-refused"),
    (NotPermitted("Not your case."), 404, "not-found"),
    (Overloaded(), 503, "unavailable"),
]


@pytest.mark.parametrize(("refusal", "status", "slug"), REFUSALS, ids=lambda value: type(value).__name__)
def test_every_exception_becomes_a_problem_of_its_type(
    client: Client, refusal: Exception, status: int, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    response = refuse(client, refusal, monkeypatch)
    assert response.status_code == status
    problem = response.json()
    assert problem["type"].endswith(f"/api/v1/problems/{slug}/")
    assert problem["title"]
    assert problem["detail"]


def test_a_registry_error_has_its_message_and_members(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = refuse(client, TeapotRefused("Tea only."), monkeypatch).json()
    assert (problem["title"], problem["detail"], problem["spout"]) == ("No coffee", "Tea only.", "short")


def test_a_problem_contains_all_findings(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding("purpose", Severity.BLOCKING, "empty", "Purpose is empty.", "RFC 8141, Section 6.4.1")
    response = refuse(client, SubmissionIncomplete([finding]), monkeypatch)
    assert response.status_code == 422
    assert response.json()["findings"] == [
        {
            "section": "purpose",
            "severity": "blocking",
            "code": "empty",
            "message": "Purpose is empty.",
            "reference": "RFC 8141, Section 6.4.1",
        }
    ]


def test_retry_after_is_in_seconds(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refuse(client, exceptions.Throttled(wait=3.2), monkeypatch)["Retry-After"] == "4"


def test_an_internal_error_is_logged_and_reveals_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client.raise_request_exception = False
    with caplog.at_level(logging.ERROR, "django.request"):
        response = refuse(client, ZeroDivisionError("the secret of the divisor"), monkeypatch)
    assert response.status_code == 500
    assert b"secret" not in response.content
    assert b"ZeroDivision" not in response.content
    [record] = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ZeroDivisionError)


def test_an_internal_error_is_raised_in_tests(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        refuse(client, ZeroDivisionError(), monkeypatch)


@pytest.mark.parametrize("path", ["", "public/", "session/"])
def test_a_method_that_writes_and_declares_no_scope_is_closed(client: Client, path: str) -> None:
    assert client.post(f"/api/forgetful/{path}").status_code in {401, 403}


def test_a_view_without_declared_scopes_is_closed(client: Client) -> None:
    response = client.get("/api/closed/")
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == 'Bearer realm="registry"'
    assert response["Content-Type"] == "application/problem+json"
    assert "Access-Control-Allow-Origin" not in response


@pytest.mark.parametrize("body", [b"", b"{", b'{"title": NaN}', b"\xff", b'{"title": "\\ud8'])
def test_a_body_that_is_not_json_is_a_400(client: Client, body: bytes) -> None:
    response = client.post("/api/reading/", body, content_type="application/json")
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"


def test_a_body_in_another_format_is_a_415(client: Client) -> None:
    response = client.post("/api/reading/", b"a=b", content_type="application/x-www-form-urlencoded")
    assert response.status_code == 415
    assert response.json()["type"].endswith("/problems/unsupported-media-type/")


def test_invalid_fields_have_pointers(client: Client) -> None:
    body = json.dumps({"title": "too long", "tags": [1, "x"]})
    response = client.post("/api/reading/", body, content_type="application/json")
    assert response.status_code == 400
    assert [each["pointer"] for each in response.json()["errors"]] == ["#/title", "#/tags/1"]


def test_a_lone_surrogate_is_repeated_unchanged(client: Client) -> None:
    response = client.post("/api/echoing/", rb'{"words": "a \ud800 b"}', content_type="application/json")
    assert response.status_code == 418
    assert json.loads(response.content)["detail"] == "a \ud800 b"


@pytest.mark.exhaustive
def test_every_type_of_problem_is_explained_at_its_address(client: Client) -> None:
    listed = client.get("/api/v1/problems/").json()["results"]
    assert {each["type"] for each in listed} <= {each.uri for each in all_types().values()}
    for each in listed:
        assert each["explanation"].endswith(".")
        assert client.get(each["url"]).json() == each


def test_registry_errors_have_distinct_types() -> None:
    def all_below(refusal: type[RegistryError]) -> list[type[RegistryError]]:
        return [each for child in refusal.__subclasses__() for each in (child, *all_below(child))]

    slugs = [ProblemType.of(each).slug for each in all_below(RegistryError)]
    assert sorted(slugs) == sorted(set(slugs))
