"""The links to proofs, on every page that shows an event or a version of a text. One rule for all of them (`_proof.html`): there is
a link once a published head has the event, and until then words that say so.

The static snapshot, whose pages stay as they are until an event changes them, has the links, which lead to the registry.
"""

from collections.abc import Collection, Iterable
from typing import Any

from django import template
from django.conf import settings
from django.urls import reverse

from registry.audit_log.proofs import versions_without_proof
from registry.core.http.internal_requests import is_internal

register = template.Library()
Versions = Collection[tuple[int, str]]


@register.inclusion_tag("audit_log/_proof.html", takes_context=True)
def proof_link(context: Any, event: Any) -> dict[str, Any]:
    """The link to the proof of an event with `is_proven`, after a comma."""
    is_linked = event.is_proven or is_internal(context["request"])
    address = reverse("audit_log:proof", args=[event.number])
    return _link(address, f"event {event.number}", is_linked=is_linked) | {"before": ", "}


@register.simple_tag(takes_context=True)
def awaited_proofs(context: Any, nid: str, texts: Iterable[Any]) -> Versions:
    """Those of many versions of texts of a namespace that no published head has yet, for `text_proof`."""
    if is_internal(context["request"]):
        return ()
    return versions_without_proof(nid, [each.digest for each in texts])


@register.inclusion_tag("audit_log/_proof.html", takes_context=True)
def text_proof(
    context: Any,
    nid: str,
    text: Any,
    address: str,
    awaited: Versions | None = None,
    *,
    before: str = "",
    style: str = "",
) -> dict[str, Any]:
    """The link to the proof of a text of a namespace, with `version` and `digest`. `before` parts it from what is before it, and
    `style` is its class.
    """
    if awaited is None:
        awaited = awaited_proofs(context, nid, [text])
    is_linked = (text.version, text.digest) not in awaited
    link = _link(address, f"version {text.version}", is_linked=is_linked)
    return link | {"before": before, "style": style}


def _link(address: str, what: str, *, is_linked: bool) -> dict[str, Any]:
    """Without a signing key, no head is promised."""
    return {
        "address": address,
        "what": what,
        "is_linked": is_linked,
        "is_awaited": bool(settings.LOG_SIGNING_KEY),
    }
