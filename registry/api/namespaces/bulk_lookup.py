"""`namespaces/lookup/`: look up many NIDs at once. A POST that stores nothing."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import RepeatedTextField, StrictCharField, StrictSerializer
from registry.api.namespaces.serializers import NamespaceSerializer
from registry.api.namespaces.stored_items import in_brief
from registry.api.namespaces.views import NamespaceDetailView
from registry.api.nids import UnregisteredNIDSerializer
from registry.api.schema.operations import operation
from registry.api.urns.bulk import BULK_PROBLEMS, BulkAPIView
from registry.cases.models import Case
from registry.core.exceptions import RegistryError
from registry.core.pagination import MAX_PAGE_TEXT, take
from registry.registration_template.nids.report import report_on
from registry.registration_template.nids.rules import KnownNIDs
from registry.sightings.models import Sighting
from urnsyntax.nid import is_well_formed

MAX_NIDS = 1_000


class LookupTooLong(RegistryError):
    """The namespaces have too much text for one response."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Response too long"

    def __init__(self) -> None:
        super().__init__(
            "The namespaces of these NIDs have too much text for one response. Ask for fewer at once."
        )


class NIDListSerializer(StrictSerializer):
    """The NIDs to look up. Case is ignored."""

    nids = serializers.ListField(
        child=StrictCharField(), max_length=MAX_NIDS, help_text="The NIDs, in any case of letters."
    )


class FoundNamespaceSerializer(NamespaceSerializer):
    """A namespace, as in the list, with all members: the parameter `fields` belongs to the list."""


class LookupResultSerializer(serializers.Serializer[Any]):
    """What the registry knows of one NID: the namespace, or else the status of the NID."""

    nid = RepeatedTextField(allow_blank=True, help_text="The text as it was sent.")
    namespace = FoundNamespaceSerializer(
        allow_null=True, help_text="The namespace, as in the list; null if it is not registered."
    )
    unregistered = UnregisteredNIDSerializer(
        allow_null=True, help_text="What is known of a NID that is not registered; null if it is registered."
    )


class LookupResultsSerializer(serializers.Serializer[Any]):
    """The result for each NID, in order."""

    results = LookupResultSerializer(many=True, help_text="The entries, in order.")


@dataclass(frozen=True)
class RequestedNIDs(KnownNIDs):
    """The open cases that request NIDs, and their sightings, read at once."""

    cases: dict[str, tuple[int, ...]]
    uses: dict[str, list[Sighting]]

    def requests(self, nid: str) -> tuple[int, ...] | None:
        return self.cases.get(nid)

    def sightings(self, nid: str) -> Sequence[Sighting]:
        return self.uses.get(nid, ())

    @classmethod
    def among(cls, nids: Collection[str]) -> "RequestedNIDs":
        cases: dict[str, tuple[int, ...]] = {}
        requesting = Case.objects.requesting_nids().filter(requested_nid__in=nids).order_by("pk")
        for number, nid in requesting.values_list("pk", "requested_nid"):
            cases[nid] = (*cases.get(nid, ()), number)
        uses: dict[str, list[Sighting]] = {}
        for each in Sighting.objects.public().of(nids):
            uses.setdefault(each.nid, []).append(each)
        return cls(cases, uses)


class LookUpNamespacesView(BulkAPIView):
    """Look up as many as 1,000 NIDs at once. Each result is the namespace, as in the list, or what is known of the NID."""

    @operation(
        "lookUpNamespaces",
        "Many namespaces, by their NIDs",
        response=LookupResultsSerializer,
        refusals=[LookupTooLong],
        common=BULK_PROBLEMS,
        request=NIDListSerializer,
        is_body_needed=True,
        links={"namespace": ("getNamespace", {"nid": "$response.body#/results/0/namespace/nid"})},
    )
    def post(self, request: Request) -> Response:
        body = NIDListSerializer(data=self.text_of(request))
        body.is_valid(raise_exception=True)
        results = looked_up(body.validated_data["nids"])
        return Response(LookupResultsSerializer({"results": results}).data)

    def get(self, request: Request) -> HttpResponseBase:
        """“lookup” is a NID like any other, so that GET is a request for its namespace."""
        return NamespaceDetailView.as_view()(request._request, nid="lookup")

    def conditional(self, request: HttpRequest, response: Response) -> HttpResponseBase:
        """The view of the namespace has applied the conditions of the request."""
        return response


def looked_up(nids: list[str]) -> list[dict[str, Any]]:
    """The result for each NID. Raises LookupTooLong."""
    wanted = {nid.lower() for nid in nids if is_well_formed(nid)}
    rows = in_brief().filter(nid__any=wanted).order_by("nid")
    found, is_incomplete = take(rows, len(wanted), lambda row: len(row.purpose))
    namespaces = {each.nid: each for each in found}
    # A NID that is asked for twice has its text in the response twice.
    length = sum(len(namespaces[nid.lower()].purpose) for nid in nids if nid.lower() in namespaces)
    if is_incomplete or length > MAX_PAGE_TEXT:
        raise LookupTooLong
    requested = RequestedNIDs.among(wanted - namespaces.keys())

    def result(nid: str) -> dict[str, Any]:
        namespace = namespaces.get(nid.lower())
        return {
            "nid": nid,
            "namespace": namespace,
            "unregistered": None if namespace else report_on(nid, requested),
        }

    return [result(nid) for nid in nids]
