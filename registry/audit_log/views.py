"""Pages about the audit log: its published heads, and how to check them. The log as files: `tiles`."""

import base64

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from registry.audit_log.heads import get_head
from registry.audit_log.models import LogPosition, SignedHead, Timestamp
from registry.audit_log.proofs import proof_of
from registry.audit_log.signing_keys import trusted_keys
from registry.audit_log.tiles import Place, read_entries, read_tile
from registry.core.pagination import Keyset

PAGE_SIZE = 50
FIVE_MINUTES, A_YEAR = 5 * 60, 365 * 24 * 3600  # seconds
NEWEST_FIRST = Keyset("-size")


@login_not_required
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """The verifier keys, and the published heads, newest first."""
    page = NEWEST_FIRST.page(SignedHead.objects.all(), request.GET.get("after", ""), PAGE_SIZE)
    newest = SignedHead.objects.last()
    context = {
        "page": page,
        "newest": newest,
        "timestamps": newest.timestamps.all() if newest else (),
        "cosignatures": newest.cosignatures.order_by("pk") if newest else (),
        "keys": trusted_keys(),
        "events": LogPosition.current().number,
    }
    return render(request, "audit_log/overview.html", context)


@login_not_required
@require_safe
def checkpoint(request: HttpRequest) -> HttpResponse:
    """The newest signed head as a signed note, with the cosignatures that there are."""
    response = HttpResponse(get_head().cosigned_note, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "public, no-cache"
    response["Access-Control-Allow-Origin"] = "*"
    return response


@login_not_required
@require_safe
def note(request: HttpRequest, size: int) -> HttpResponse:
    """A signed head without cosignatures: what time stamps are about."""
    return _forever(get_head(size).note.encode(), "text/plain; charset=utf-8")


@login_not_required
@require_safe
def timestamp(request: HttpRequest, size: int, authority: str) -> HttpResponse:
    """The reply of an authority with its time stamp of a head (RFC 3161, Section 3.4)."""
    found = get_object_or_404(Timestamp, head=size, authority=authority)
    return _forever(base64.b64decode(found.reply), "application/timestamp-reply")


@login_not_required
@require_safe
def tile(request: HttpRequest, level: int, place: Place) -> HttpResponse:
    """A tile of the Merkle tree."""
    return _forever(read_tile(level, place))


@login_not_required
@require_safe
def entries(request: HttpRequest, place: Place) -> HttpResponse:
    """The leaves of a tile of level 0."""
    return _forever(read_entries(place))


@login_not_required
@require_safe
def proof(request: HttpRequest, number: int) -> HttpResponse:
    """The proof that an event is in a published head."""
    response = HttpResponse(proof_of(number), content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = f"public, max-age={FIVE_MINUTES}"  # as often as witnesses are asked
    response["Access-Control-Allow-Origin"] = "*"
    return response


def _forever(content: bytes, media_type: str = "application/octet-stream") -> HttpResponse:
    """A file that never changes, and that programs in pages of other sites may read."""
    response = HttpResponse(content, content_type=media_type)
    response["Cache-Control"] = f"public, max-age={A_YEAR}, immutable"
    response["Access-Control-Allow-Origin"] = "*"
    return response
