"""`files/`: the whole registry as files, in the formats of `registry.publication`."""

from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.conditional import StalePrecondition
from registry.api.framework.pagination import chosen_entries, list_of, sparse_query
from registry.api.framework.urls import LinkField
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import READ_PROBLEMS, TEXT, operation
from registry.audit_log.models import Event
from registry.core.exceptions import RegistryError
from registry.core.http.conditional import RangeNotSatisfiable
from registry.core.http.internal_requests import is_internal
from registry.core.validators import shortened
from registry.publication.downloads import POSITION_HEADER, download
from registry.publication.file_digests import known_digests
from registry.publication.formats.export_formats import FORMATS, ExportFile

# Each file and its description. Pages are not among them.
FILES = {
    file.name: (file, each.description)
    for each in FORMATS.values()
    for file in each.files
    if not file.media_type.startswith("text/html")
}
# The name of a file determines its format, and Accept is ignored.
FILE_PROBLEMS = tuple(each for each in READ_PROBLEMS if each is not NotAcceptable)


class FileUnknown(RegistryError):
    """The registry has no file of this name."""

    status = HTTPStatus.NOT_FOUND
    title = "No such file"


class SingleFormatNegotiation(DefaultContentNegotiation):
    """A file has one format."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class ExportFileSerializer(serializers.Serializer[Any]):
    """A file, its format and its contents."""

    name = serializers.CharField(source="file.name", help_text="The name of the file.")
    media_type = serializers.CharField(source="file.media_type", help_text="The media type.")
    description = serializers.CharField(help_text="What the file contains.")
    size = serializers.IntegerField(
        source="known.size", allow_null=True, help_text="The size in octets, uncompressed."
    )
    repr_digest = serializers.CharField(
        source="known.repr_digest",
        allow_null=True,
        help_text="The SHA-256 digest of the uncompressed file, as in the header Repr-Digest (RFC 9530).",
    )
    log_position = serializers.IntegerField(
        source="known.position",
        allow_null=True,
        help_text="The number of the last event whose effects the file contains, with this size and digest.",
    )
    changed_at = serializers.DateTimeField(
        allow_null=True, help_text="The time of the event `log_position`: the file contains no later change."
    )
    url = LinkField("file", file="file.name", help_text="The address of the file.")


ExportFileListSerializer = list_of(ExportFileSerializer, "All files.")


ExportFileQuerySerializer = sparse_query(ExportFileSerializer, always="name")


class FileListView(PublicAPIView):
    """The files that contain the whole registry."""

    query = ExportFileQuerySerializer

    @operation(
        "listFiles",
        "The whole registry",
        response=ExportFileListSerializer,
        about=(
            "Sizes and digests are those of the newest state of the registry; they are null until a download or, within "
            "some minutes, the worker has written the file in that state."
        ),
        links={"file": ("downloadFile", {"file": "$response.body#/results/0/name"})},
    )
    def get(self, request: Request) -> Response:
        known = {} if is_internal(request._request) else known_digests()
        times = dict(
            Event.objects.filter(pk__in={each.position for each in known.values()}).values_list("pk", "at")
        )
        files = [
            {
                "file": file,
                "description": description,
                "known": known.get(name),
                "changed_at": times.get(known[name].position) if name in known else None,
            }
            for name, (file, description) in FILES.items()
        ]
        return Response(chosen_entries(ExportFileListSerializer({"results": files}), self.parameters))


FILE = OpenApiParameter(
    "file",
    {"type": "string", "minLength": 1},
    OpenApiParameter.PATH,
    description="The name of a file.",
    examples=[OpenApiExample("JSON lines", "urn-namespaces.jsonl")],
)


def _schema_of(file: ExportFile) -> dict[str, Any]:
    return {"type": "object"} if file.media_type == "application/json" else TEXT


class FileDownloadView(PublicAPIView):
    """One file: the whole registry at one moment, however long the download takes.

    To continue a download that was interrupted, send `Range` and the ETag in `If-Range` (RFC 9110, Section 14).

    The header Log-Position is the number of the last event before that moment. A copy of the registry is kept by
    reading this file once, and then the events since this number, again and again, with the records that they name.
    """

    request_headers = f"{PublicAPIView.request_headers}, If-Range, Range"
    response_headers = (
        f"{PublicAPIView.response_headers}, {POSITION_HEADER}, Accept-Ranges, Content-Range, Repr-Digest"
    )
    content_negotiation_class = SingleFormatNegotiation

    @operation(
        "downloadFile",
        "The whole registry as one file",
        response={file.media_type.partition(";")[0]: _schema_of(file) for file, _ in FILES.values()},
        refusals=[FileUnknown, RangeNotSatisfiable],
        common=FILE_PROBLEMS,
        parameters=[FILE],
        links={"following events": ("listEvents", {"since": f"$response.header.{POSITION_HEADER}"})},
        headers=[POSITION_HEADER],
    )
    def get(self, request: Request, file: str) -> HttpResponseBase:
        if file not in FILES:
            raise FileUnknown(f"There is no file “{shortened(file)}”; the files are {', '.join(FILES)}.")
        response = download(request._request, FILES[file][0])
        if response.status_code == HTTPStatus.PRECONDITION_FAILED:
            raise StalePrecondition("The file has changed: its ETag differs from If-Match.")
        return response
