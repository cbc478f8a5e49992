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

from registry.api.compression import coding_for, compressed
from registry.api.description import READING, TEXT, operation
from registry.api.resources import PublicResource, address, etag_of, held_against_conditions
from registry.errors import RegistryError
from registry.publication.exporting import FORMATS, File
from registry.publication.published import Stamp

# No page comes from here.
FILES = {
    file.name: (file, each.words)
    for each in FORMATS.values()
    for file in each.files
    if not file.media_type.startswith("text/html")
}
IN_MEMORY = 1024 * 1024
# A file's name says its format, and Accept is not asked.
IN_ITS_FORMAT = tuple(each for each in READING if each is not NotAcceptable)


class FileUnknown(RegistryError):
    """The registry is not published in a file of this name."""

    status = HTTPStatus.NOT_FOUND
    title = "No such file"


class AsItIs(DefaultContentNegotiation):
    """A file has one format."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class FileSerializer(serializers.Serializer[Any]):
    """A file: its format, and what it holds."""

    name = serializers.CharField()
    media_type = serializers.CharField()
    words = serializers.CharField()
    url = serializers.URLField()


class FilesSerializer(serializers.Serializer[Any]):
    """All files."""

    results = FileSerializer(many=True)


class FileList(PublicResource):
    """In which files there is the whole registry."""

    @operation(
        "files",
        "The whole registry",
        answers=FilesSerializer,
        links={"file": ("file", {"file": "$response.body#/results/0/name"})},
    )
    def get(self, request: Request) -> Response:
        files = [
            {"name": name, "media_type": file.media_type, "words": words, "url": address("file", file=name)}
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


class RegistryFile(PublicResource):
    """One file: the whole registry as it is at one moment, however long it takes to send."""

    content_negotiation_class = AsItIs

    @operation(
        "file",
        "The whole registry as one file",
        answers={file.media_type.partition(";")[0]: TEXT for file, _ in FILES.values()},
        refusals=[FileUnknown],
        common=IN_ITS_FORMAT,
        parameters=[FILE],
    )
    def get(self, request: Request, file: str) -> HttpResponseBase:
        if file not in FILES:
            raise FileUnknown(f"There is no “{file}” of the registry; there are {', '.join(FILES)}.")
        wanted, coding = FILES[file][0], coding_for(request)
        state = _state(wanted, Stamp.current())
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


def _state(file: File, stamp: Stamp) -> tuple[str, int, str, str]:
    return file.name, stamp.number, stamp.digest, settings.PUBLIC_ORIGIN


def _written(file: File, coding: str) -> tuple[str, IO[bytes]]:
    """The file's digest and its content in that coding, on the disk when it is long."""
    digest = hashlib.sha256()
    content: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - sent, then closed
    for block in compressed(_seen(file.write(), digest.update), coding):
        content.write(block)
    content.seek(0)
    return digest.hexdigest()[:32], content


def _seen(blocks: Iterator[bytes], see: Callable[[bytes], None]) -> Iterator[bytes]:
    for block in blocks:
        see(block)
        yield block


def _answer(request: Request, file: File, digest: str, coding: str, content: IO[bytes]) -> HttpResponseBase:
    response = FileResponse(content, content_type=file.media_type)
    response["ETag"] = etag = etag_of(digest, coding)
    response["Cache-Control"] = "public, no-cache"
    patch_vary_headers(response, ["Accept-Encoding"])
    if coding:
        response["Content-Encoding"] = coding
    answer = held_against_conditions(request._request, etag, response)
    if answer is not response:
        content.close()
    return answer
