"""`resolve/`: the addresses of many URNs at once. A POST that stores nothing."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from registry.api.framework.fields import MAX_REPEATED, RepeatedTextField
from registry.api.schema.operations import TEXT, operation
from registry.api.urns.bulk import (
    BULK_PROBLEMS,
    BulkResults,
    ManyURNsAPIView,
    TooManyTexts,
    check_count,
    check_texts,
    to_json,
)
from registry.api.urns.checking import URNS_SCHEMA, TooManyNamespaces, check_profiles, nids_in
from registry.core.validators import shortened
from registry.resolution.namespace_data import NamespaceData, namespace_data_of
from registry.resolution.resolving import reason_of, resolve
from registry.subnamespaces.lists import StoredSubNamespaces, entries_for_many
from urnsyntax import URN, InvalidURN
from urnsyntax.profiles.services.service import KINDS
from urnsyntax.profiles.subnamespaces.lists import SubNamespaces

BODY_SCHEMA = {
    "type": "object",
    "properties": {"urns": URNS_SCHEMA},
    "required": ["urns"],
    "additionalProperties": False,
}


class URNResolutionResultSerializer(serializers.Serializer[Any]):
    """How one URN resolves. Members that do not apply are null."""

    urn = RepeatedTextField(help_text="The text; of a long one that is not a URN, 1,000 characters.")
    address = serializers.URLField(allow_null=True, help_text="The address to which `/resolve/` redirects.")
    kind = serializers.ChoiceField(
        choices=list(KINDS), allow_null=True, help_text="What the service returns: a service of RFC 2483."
    )
    reason = serializers.CharField(allow_null=True, help_text="Why there is no address to redirect to.")


class URNResolutionResultsSerializer(serializers.Serializer[Any]):
    """The results in the order of the texts, and their numbers."""

    results = URNResolutionResultSerializer(many=True, help_text="The entries, in order.")
    resolved = serializers.IntegerField(help_text="The number of texts with an address.")
    unresolved = serializers.IntegerField(help_text="The number of texts without an address.")


class ResolveURNsView(ManyURNsAPIView):
    """Find the addresses of many URNs. Each is the one to which `/resolve/` redirects."""

    @operation(
        "resolveUrns",
        "Find the addresses of many URNs",
        response={"application/json": URNResolutionResultsSerializer, "application/jsonl": TEXT},
        refusals=[TooManyTexts, TooManyNamespaces],
        common=BULK_PROBLEMS,
        request={"application/json": BODY_SCHEMA},
        is_body_needed=True,
    )
    def post(self, request: Request, suffix: str = "") -> StreamingHttpResponse:
        return self.streamed(resolved_many(_texts_in(self.text_of(request))))


def _texts_in(body: Any) -> list[str]:
    if not isinstance(body, dict) or body.keys() != {"urns"}:
        raise ValidationError({"urns": ["The body must be an object with an array of texts as “urns”."]})
    check_texts(body["urns"], "urns")
    check_count(len(body["urns"]))
    return list(body["urns"])


def resolved_many(texts: list[str]) -> BulkResults:
    """The result for each text. The namespaces are read before the first one. Raises TooManyNamespaces."""
    nids = nids_in(texts)
    check_profiles(nids)
    totals = {"resolved": 0, "unresolved": 0}
    namespaces = namespace_data_of(nids)
    return BulkResults(results_of(texts, namespaces, totals, _entries_of(texts, namespaces)), totals)


def _entries_of(
    texts: list[str], namespaces: Mapping[str, NamespaceData]
) -> Mapping[str, StoredSubNamespaces]:
    """The sub-namespaces that the URNs among the texts belong to, by NID."""
    listed = {nid: each.listed_as for nid, each in namespaces.items() if each.listed_as is not None}
    return entries_for_many(
        texts, listed, {nid: each.profile for nid, each in namespaces.items() if each.profile}
    )


def results_of(
    texts: list[str],
    namespaces: Mapping[str, NamespaceData],
    totals: dict[str, int],
    entries: Mapping[str, SubNamespaces] = MappingProxyType({}),
) -> Iterator[str]:
    """The result for each text as JSON, which is counted in `totals`. `entries` are sub-namespaces by NID."""
    for text in texts:
        try:
            urn = URN.parse(text)
        except InvalidURN as fault:
            totals["unresolved"] += 1
            yield _unresolved(shortened(text, MAX_REPEATED), str(fault))
            continue
        known = namespaces.get(urn.nid) or namespaces.get(urn.nid.lower())
        found = resolve(urn, known, entries.get(known.nid) if known else None)
        address = found.address
        if address is None:
            totals["unresolved"] += 1
            yield _unresolved(text, reason_of(found))
            continue
        totals["resolved"] += 1
        # The characters of URNs and addresses need no escapes.
        yield f'{{"urn":"{text}","address":"{address}","kind":"{found.kind}","reason":null}}'


def _unresolved(text: str, reason: str) -> str:
    return to_json({"urn": text, "address": None, "kind": None, "reason": reason})
