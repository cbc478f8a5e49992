"""`files/`: the whole registry, for whoever takes all of it. Its forms are those of `registry.publication`."""

import hashlib
import io
import tempfile
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import IO, Any

from django.conf import settings
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.compression import coding_for, compress
from registry.api.framework.conditional import apply_preconditions, etag_of
from registry.api.framework.urls import api_url
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import READ_PROBLEMS, TEXT, operation
from registry.core.exceptions import RegistryError
from registry.publication.formats.export_formats import FORMATS, ExportFile
from registry.publication.formats.published_namespaces import RegistryState

# No page comes from here.
FILES = {
    file.name: (file, each.description)
    for each in FORMATS.values()
    for file in each.files
    if not file.media_type.startswith("text/html")
}
IN_MEMORY = 1024 * 1024
# A file's name says its format, and Accept is not asked.
FILE_PROBLEMS = tuple(each for each in READ_PROBLEMS if each is not NotAcceptable)


class FileUnknown(RegistryError):
    """The registry is not published in a file of this name."""

    status = HTTPStatus.NOT_FOUND
    title = "No such file"


class SingleFormatNegotiation(DefaultContentNegotiation):
    """A file has one format."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class FileSerializer(serializers.Serializer[Any]):
    """A file: its format, and what it holds."""

    name = serializers.CharField()
    media_type = serializers.CharField()
    description = serializers.CharField()
    url = serializers.URLField()


class FileListSerializer(serializers.Serializer[Any]):
    """All files."""

    results = FileSerializer(many=True)


class FileListView(PublicAPIView):
    """In which files there is the whole registry."""

    @operation(
        "listFiles",
        "The whole registry",
        answers=FileListSerializer,
        links={"file": ("downloadFile", {"file": "$response.body#/results/0/name"})},
    )
    def get(self, request: Request) -> Response:
        files = [
            {
                "name": name,
                "media_type": file.media_type,
                "description": words,
                "url": api_url("file", file=name),
            }
            for name, (file, words) in FILES.items()
        ]
        return Response({"results": files})


FILE = OpenApiParameter(
    "file",
    {"type": "string", "minLength": 1},
    OpenApiParameter.PATH,
    description="The name of a file.",
    examples=[OpenApiExample("JSON lines", "urn-namespaces.jsonl")],
)


class FileDownloadView(PublicAPIView):
    """One file: the whole registry as it is at one moment, however long it takes to send."""

    content_negotiation_class = SingleFormatNegotiation

    @operation(
        "downloadFile",
        "The whole registry as one file",
        answers={file.media_type.partition(";")[0]: TEXT for file, _ in FILES.values()},
        refusals=[FileUnknown],
        common=FILE_PROBLEMS,
        parameters=[FILE],
    )
    def get(self, request: Request, file: str) -> HttpResponseBase:
        if file not in FILES:
            raise FileUnknown(f"There is no “{file}” of the registry; there are {', '.join(FILES)}.")
        wanted, coding = FILES[file][0], coding_for(request)
        state = _state(wanted, RegistryState.current())
        if digest := _KNOWN.get(state):
            confirmed = _answer(request, wanted, digest, coding, io.BytesIO())
            if confirmed.status_code != HTTPStatus.OK:
                return confirmed
        digest, content = _written(wanted, coding)
        _KNOWN.clear() if len(_KNOWN) > len(FILES) else None
        _KNOWN[state] = digest
        return _answer(request, wanted, digest, coding, content)


# The digest of each file at the state that it was last written from, so that to confirm it nothing is written.
_KNOWN: dict[tuple[str, int, str, str], str] = {}


def _state(file: ExportFile, registry_state: RegistryState) -> tuple[str, int, str, str]:
    return file.name, registry_state.number, registry_state.digest, settings.PUBLIC_ORIGIN


def _written(file: ExportFile, coding: str) -> tuple[str, IO[bytes]]:
    """The file's digest and its content in that coding, on the disk when it is long."""
    digest = hashlib.sha256()
    content: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - sent, then closed
    for block in compress(_seen(file.write(), digest.update), coding):
        content.write(block)
    content.seek(0)
    return digest.hexdigest()[:32], content


def _seen(blocks: Iterator[bytes], see: Callable[[bytes], None]) -> Iterator[bytes]:
    for block in blocks:
        see(block)
        yield block


def _answer(
    request: Request, file: ExportFile, digest: str, coding: str, content: IO[bytes]
) -> HttpResponseBase:
    response = FileResponse(content, content_type=file.media_type)
    response["ETag"] = etag = etag_of(digest, coding)
    response["Cache-Control"] = "public, no-cache"
    patch_vary_headers(response, ["Accept-Encoding"])
    if coding:
        response["Content-Encoding"] = coding
    answer = apply_preconditions(request._request, etag, response)
    if answer is not response:
        content.close()
    return answer
