"""`schema/`: the committed OpenAPI description, and a page to browse it and to send requests."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.views import PublicAPIView
from registry.api.schema.document import EXAMPLE_ORIGIN
from registry.api.schema.operations import operation

OPENAPI_FILE = Path(__file__).with_name("openapi.yaml")
ANY_OBJECT = {"type": "object"}


class OpenAPIFileRenderer(BaseRenderer):
    """The file itself, or its content as JSON."""

    charset = None

    def render(self, data: Any, *_args: Any, **_kwargs: Any) -> bytes:
        return b"" if data is None else openapi_document(self.format, settings.PUBLIC_ORIGIN)


class YAMLRenderer(OpenAPIFileRenderer):
    media_type = "application/yaml"
    format = "yaml"


class JSONRenderer(OpenAPIFileRenderer):
    media_type = "application/json"
    format = "json"


@cache
def openapi_document(suffix: str, origin: str) -> bytes:
    """The description in a format, with the addresses of this installation.

    The file is read once, since it changes only with the code.
    """
    content = OPENAPI_FILE.read_bytes().replace(EXAMPLE_ORIGIN.encode(), origin.encode())
    if suffix == "json":
        return json.dumps(
            yaml.load(content, yaml.CSafeLoader), ensure_ascii=False, separators=(",", ":")
        ).encode()
    return content


class SchemaView(PublicAPIView):
    """The OpenAPI 3.1 description of this API, as YAML or JSON."""

    renderer_classes = (YAMLRenderer, JSONRenderer)

    @operation(
        "getSchema",
        "This description",
        response={"application/yaml": ANY_OBJECT, "application/json": ANY_OBJECT},
    )
    def get(self, request: Request, suffix: str = "") -> Response:
        return Response({})


@require_safe
@login_not_required
def schema_browser(request: HttpRequest) -> HttpResponse:
    """The description as a page, which loads nothing from other hosts."""
    return render(request, "api/schema_browser.html")
