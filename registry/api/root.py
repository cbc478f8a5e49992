"""The root of the API, and the response to unknown addresses."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.drainage import set_override
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.account import OwnTokenQuerySerializer
from registry.api.audit_log import SignedHeadQuerySerializer
from registry.api.cases.views import CaseQuerySerializer
from registry.api.claims import ClaimQuerySerializer
from registry.api.domains import DomainQuerySerializer
from registry.api.events.stream import EventStreamQuerySerializer
from registry.api.events.views import EventQuerySerializer
from registry.api.files import ExportFileQuerySerializer
from registry.api.framework.problems import AddressUnknown
from registry.api.framework.urls import api_url
from registry.api.framework.views import PublicAPIView
from registry.api.namespaces.actions import TransferQuerySerializer
from registry.api.namespaces.entries import EntryQuerySerializer
from registry.api.namespaces.profiles import ProfileVersionQuerySerializer
from registry.api.namespaces.registers import EntryRequestQuerySerializer
from registry.api.namespaces.versions import NamespaceEventQuerySerializer, NamespaceVersionQuerySerializer
from registry.api.namespaces.views import NamespaceQuerySerializer
from registry.api.organisations.serializers import MembershipQuerySerializer, OrganisationQuerySerializer
from registry.api.problem_types import ProblemTypeQuerySerializer
from registry.api.registration_template import ComparisonQuerySerializer
from registry.api.schema.document import EXAMPLE_ORIGIN
from registry.api.schema.operations import operation
from registry.api.services import ServiceQuerySerializer
from registry.api.sightings import OwnSightingQuerySerializer, SightingQuerySerializer
from registry.api.urns.views import URNQuerySerializer
from registry.api.webhooks.serializers import WebhookQuerySerializer
from registry.core.http.urls import absolute_url


class URITemplateField(serializers.CharField):
    """The address of a resource as a URI template (RFC 6570), with the query parameters of a serializer."""

    def __init__(
        self,
        path: str,
        about: str,
        query: type[serializers.Serializer[Any]] | None = None,
        *,
        base: str = "/api/v1/",
    ) -> None:
        super().__init__(source="*", help_text=about)
        self.base, self.path, self.query = base, path, query

        example = f"{EXAMPLE_ORIGIN}{self.template}"
        set_override(self, "field", {"type": "string", "examples": [example]})

    @property
    def template(self) -> str:
        parameters: Iterable[str] = self.query().fields if self.query else ()
        query = f"{{?{','.join(parameters)}}}" if self.query else ""
        return f"{self.base}{self.path}{query}"

    def to_representation(self, value: Any) -> str:
        return absolute_url(self.template)


class RootSerializer(serializers.Serializer[Any]):
    """Addresses, and URI templates of addresses."""

    namespaces = URITemplateField(
        "namespaces/", "The URI template of the list of namespaces.", NamespaceQuerySerializer
    )
    namespace = URITemplateField("namespaces/{nid}/", "The URI template of one namespace.")
    look_up_namespaces = URITemplateField("namespaces/lookup/", "The address that looks up many NIDs.")
    versions = URITemplateField(
        "namespaces/{nid}/versions/",
        "The URI template of the versions of a namespace.",
        NamespaceVersionQuerySerializer,
    )
    version = URITemplateField(
        "namespaces/{nid}/versions/{version}/", "The URI template of one version of a namespace."
    )
    template = URITemplateField(
        "namespaces/{nid}/template.txt", "The URI template of the completed template of a namespace."
    )
    profile = URITemplateField(
        "namespaces/{nid}/profile/",
        "The URI template of the profile of a namespace.",
        ProfileVersionQuerySerializer,
    )
    namespace_events = URITemplateField(
        "namespaces/{nid}/events/",
        "The URI template of the events of a namespace.",
        NamespaceEventQuerySerializer,
    )
    compare_versions = URITemplateField(
        "namespaces/{nid}/compare/",
        "The URI template of the differences between two versions of a namespace.",
        ComparisonQuerySerializer,
    )
    transfers = URITemplateField(
        "namespaces/{nid}/transfers/",
        "The URI template of the address that offers a namespace to another registrant.",
        TransferQuerySerializer,
    )
    register = URITemplateField(
        "namespaces/{nid}/register/", "The URI template of the register below a namespace."
    )
    register_entries = URITemplateField(
        "namespaces/{nid}/register/entries/",
        "The URI template of the address at which the holder of a register adds an entry.",
    )
    entry_requests = URITemplateField(
        "namespaces/{nid}/register/requests/",
        "The URI template of the requests for entries of a register.",
        EntryRequestQuerySerializer,
    )
    entry_request = URITemplateField(
        "namespaces/{nid}/register/requests/{number}/", "The URI template of one request for an entry."
    )
    entries = URITemplateField(
        "namespaces/{nid}/entries/",
        "The URI template of the entries of the registers of a namespace, with their holders.",
        EntryQuerySerializer,
    )
    entry = URITemplateField(
        "namespaces/{nid}/entries/{entry}/",
        "The URI template of one entry. Below it are offers of it, and the register below it.",
    )
    claim_namespace = URITemplateField(
        "namespaces/{nid}/claims/", "The URI template of the address that claims a namespace."
    )
    revise = URITemplateField(
        "namespaces/{nid}/revise/", "The URI template of the address that starts a revision of a namespace."
    )
    deprecate = URITemplateField(
        "namespaces/{nid}/deprecate/", "The URI template of the address that deprecates a namespace."
    )
    cases = URITemplateField("cases/", "The URI template of the list of cases.", CaseQuerySerializer)
    case = URITemplateField("cases/{number}/", "The URI template of one case.")
    compare_rounds = URITemplateField(
        "cases/{number}/compare/",
        "The URI template of the differences between two rounds of a case.",
        ComparisonQuerySerializer,
    )
    actions = URITemplateField(
        "cases/{number}/actions/", "The address of the actions that the user may take."
    )
    transition = URITemplateField(
        "cases/{number}/{transition}/", "The URI template of a transition of a case."
    )
    draft = URITemplateField("cases/{number}/draft/", "The URI template of the draft of a case.")
    check = URITemplateField("cases/{number}/check/", "The URI template of the check of a draft.")
    account = URITemplateField("account/", "The account of the owner of the token.")
    notifications = URITemplateField("account/notifications/", "The address of the mail that the user gets.")
    token = URITemplateField("token/", "The address of the token of the request.")
    own_tokens = URITemplateField(
        "account/tokens/", "The URI template of the list of the tokens of the user.", OwnTokenQuerySerializer
    )
    own_token = URITemplateField("account/tokens/{number}/", "The URI template of one token of the user.")
    webhooks = URITemplateField(
        "account/webhooks/", "The URI template of the list of webhooks.", WebhookQuerySerializer
    )
    webhook = URITemplateField("account/webhooks/{number}/", "The URI template of one webhook.")
    organisations = URITemplateField(
        "organisations/", "The URI template of the list of organisations.", OrganisationQuerySerializer
    )
    organisation = URITemplateField("organisations/{organisation}/", "The URI template of one organisation.")
    members = URITemplateField(
        "organisations/{organisation}/members/",
        "The URI template of the members of an organisation.",
        MembershipQuerySerializer,
    )
    claims = URITemplateField("claims/", "The URI template of the list of claims.", ClaimQuerySerializer)
    claim = URITemplateField("claims/{number}/", "The URI template of one claim.")
    sightings = URITemplateField(
        "sightings/", "The URI template of the list of unregistered NIDs in use.", SightingQuerySerializer
    )
    sighting = URITemplateField("sightings/{number}/", "The URI template of one sighting.")
    own_sightings = URITemplateField(
        "account/sightings/",
        "The URI template of the sightings that the user reported.",
        OwnSightingQuerySerializer,
    )
    events = URITemplateField("events/", "The URI template of the events.", EventQuerySerializer)
    event_head = URITemplateField("events/head/", "The address of the newest event.")
    event_stream = URITemplateField(
        "events/stream/", "The URI template of the stream of events.", EventStreamQuerySerializer
    )
    domains = URITemplateField(
        "organisations/{organisation}/domains/",
        "The URI template of the domains of an organisation.",
        DomainQuerySerializer,
    )
    audit_log = URITemplateField("audit-log/", "The address of the audit log.")
    signed_heads = URITemplateField(
        "audit-log/heads/", "The URI template of the list of signed heads.", SignedHeadQuerySerializer
    )
    signed_head = URITemplateField("audit-log/heads/{size}/", "The URI template of one signed head.")
    signed_note = URITemplateField(
        "audit-log/heads/{size}/note.txt", "The URI template of one signed head as a signed note."
    )
    nid = URITemplateField("nids/{nid}/", "The URI template of the report on a NID.")
    urn = URITemplateField("urns/", "The URI template of one URN.", URNQuerySerializer)
    check_urns = URITemplateField("urns/check/", "The address that checks URNs.")
    resolve_urns = URITemplateField("resolve/", "The address that resolves URNs.")
    compare_urns = URITemplateField("urns/compare/", "The address that compares two URNs.")
    services = URITemplateField(
        "services/", "The URI template of the list of services.", ServiceQuerySerializer
    )
    statistics = URITemplateField("statistics/", "The address of the statistics.")
    files = URITemplateField(
        "files/", "The address of the files that contain the whole registry.", ExportFileQuerySerializer
    )
    problems = URITemplateField("problems/", "The address of the problem types.", ProblemTypeQuerySerializer)
    schema = URITemplateField("schema/", "The address of the OpenAPI description.")
    documentation = URITemplateField(
        "", "The address of the documentation: quick start, guides and reference.", base="/api/"
    )


class RootView(PublicAPIView):
    """The resources of the API, as addresses and URI templates (RFC 6570)."""

    @operation("getRoot", "The resources of the API", response=RootSerializer)
    def get(self, request: Request) -> Response:
        return Response(RootSerializer({}).data)


class NotFoundView(PublicAPIView):
    """The response to addresses that the API does not have."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.check_throttles(request)
        self.perform_authentication(request)
        raise AddressUnknown(f"The API has nothing at this address. {api_url('root')} lists its resources.")
