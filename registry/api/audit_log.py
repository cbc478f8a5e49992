"""`audit-log/`: the verifier keys, and the signed heads that commit to all events of the registry."""

from typing import Any

from django.http.response import HttpResponseBase
from django.utils.http import http_date
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import parse_number
from registry.api.framework.pagination import PaginatedAPIView, page_of, page_query
from registry.api.framework.renderers import PlainTextRenderer
from registry.api.framework.urls import LinkField, PageLinkField
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import TEXT, operation, path_parameter
from registry.audit_log.heads import HeadUnknown, get_head
from registry.audit_log.models import LogPosition, SignedHead, Timestamp
from registry.audit_log.proofs import consistency_proof
from registry.audit_log.signing_keys import trusted_keys
from registry.audit_log.tiles import TileNotWritten

LATEST = "latest"
SIZE = path_parameter(
    "size",
    "HeadSize",
    "The number of events of a signed head, or `latest`.",
    LATEST,
    type="string",
    pattern=f"^([1-9][0-9]{{0,17}}|{LATEST})$",
)
OTHER_SIZE = path_parameter(
    "other",
    "OtherHeadSize",
    "The number of events of another signed head, or `latest`.",
    LATEST,
    type="string",
    pattern=f"^([1-9][0-9]{{0,17}}|{LATEST})$",
)


class TimestampSerializer(serializers.ModelSerializer[Timestamp]):
    """The statement of an authority that `note` of a head existed at a time (RFC 3161)."""

    url = PageLinkField(help_text="The address of the reply of the authority, which contains the token.")

    class Meta:
        model = Timestamp
        fields = ("authority", "at", "url")
        read_only_fields = fields
        extra_kwargs = {
            "authority": {"help_text": "The host of the authority."},
            "at": {"help_text": "The time that the authority states."},
        }


class SignedHeadSerializer(serializers.ModelSerializer[SignedHead]):
    """A signed head. Only `note` is signed; the other members repeat what it says."""

    origin = serializers.CharField(source="checkpoint.origin", help_text="The name of the log.")
    size = serializers.IntegerField(help_text="The number of events.")
    root_hash = serializers.CharField(
        source="checkpoint.encoded_root", help_text="The root of their Merkle tree (RFC 6962), in base64."
    )
    note = serializers.CharField(help_text="The signed note (https://c2sp.org/tlog-checkpoint).")
    url = LinkField("head", size="size", help_text="The address of the signed head.")
    note_url = LinkField("head-note", size="size", help_text="The address of the signed note as plain text.")

    timestamps = TimestampSerializer(
        many=True, help_text="Time stamps of `note`, in the order in which they arrived."
    )

    class Meta:
        model = SignedHead
        fields = ("size", "origin", "root_hash", "published_at", "note", "url", "note_url", "timestamps")
        read_only_fields = fields
        extra_kwargs = {
            "published_at": {"help_text": "The time of the publication."},
        }


SignedHeadQuerySerializer = page_query(SignedHeadSerializer, always="size")


class AuditLogSerializer(serializers.Serializer[Any]):
    """The audit log, and the keys that sign its heads."""

    events = serializers.IntegerField(help_text="The number of events.")
    verifier_keys = serializers.ListField(
        child=serializers.CharField(),
        help_text="The keys that sign heads (https://c2sp.org/signed-note). The first one is in use.",
    )
    heads_url = LinkField("heads", help_text="The address of the signed heads.")
    events_url = LinkField("events", help_text="The address of the events.")


class AuditLogView(PublicAPIView):
    """The number of events, and the verifier keys. Note the keys: they prove which heads are genuine."""

    @operation(
        "getAuditLog",
        "The audit log and its keys",
        response=AuditLogSerializer,
        links={"heads": ("listSignedHeads", {})},
    )
    def get(self, request: Request) -> Response:
        log = {"events": LogPosition.current().number, "verifier_keys": list(map(str, trusted_keys()))}
        return Response(AuditLogSerializer(log).data)


class SignedHeadListView(PaginatedAPIView):
    """The signed heads of the audit log, oldest first. Keep them outside of the registry."""

    query = SignedHeadQuerySerializer

    @operation(
        "listSignedHeads",
        "The signed heads of the audit log",
        response=page_of(
            SignedHeadSerializer,
            "A page of the signed heads, oldest first. The parameter `after` is a number of events.",
        ),
        links={"signed head": ("getSignedHead", {"size": "$response.body#/results/0/size"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        return self.paginated(
            request, SignedHead.objects.prefetch_related("timestamps"), SignedHeadSerializer
        )


class SignedHeadDetailView(PublicAPIView):
    """One signed head. A log that is changed later contradicts it."""

    @operation(
        "getSignedHead",
        "One signed head",
        response=SignedHeadSerializer,
        refusals=[HeadUnknown],
        parameters=[SIZE],
        links={"signed note": ("getSignedNote", {"size": "$response.body#/size"})},
    )
    def get(self, request: Request, size: str) -> Response:
        return Response(SignedHeadSerializer(_head(size)).data)


class SignedNoteView(PublicAPIView):
    """One signed head as a signed note: a file for `manage.py verify_audit_log --head`."""

    renderer_classes = (PlainTextRenderer,)

    @operation(
        "getSignedNote",
        "One signed head, as a signed note",
        response={"text/plain": TEXT},
        refusals=[HeadUnknown],
        parameters=[SIZE],
    )
    def get(self, request: Request, size: str) -> Response:
        head = _head(size)
        return Response(head.note, headers={"Last-Modified": http_date(head.published_at.timestamp())})


class ConsistencyProofSerializer(serializers.Serializer[Any]):
    """The proof that a head of the log continues an earlier one (RFC 6962, Section 2.1.2)."""

    earlier = SignedHeadSerializer(help_text="The earlier head.")
    later = SignedHeadSerializer(help_text="The later head.")
    hashes = serializers.ListField(
        child=serializers.CharField(), help_text="The nodes of the proof in base64, in order."
    )


class ConsistencyProofView(PublicAPIView):
    """The proof that the log of one head begins with that of the other, in either order. Compute both roots from it."""

    @operation(
        "getConsistencyProof",
        "The proof that two heads belong to one log",
        response=ConsistencyProofSerializer,
        refusals=[HeadUnknown, TileNotWritten],
        parameters=[SIZE, OTHER_SIZE],
    )
    def get(self, request: Request, size: str, other: str) -> Response:
        earlier, later = sorted((_head(size), _head(other)), key=lambda head: head.size)
        proof = {"earlier": earlier, "later": later, "hashes": consistency_proof(earlier, later)}
        return Response(ConsistencyProofSerializer(proof).data)


def _head(size: str) -> SignedHead:
    """The head of this size, or the newest one. Raises HeadUnknown."""
    return get_head() if size == LATEST else get_head(parse_number(size))
