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
from registry.api.namespaces.profiles import ProfileVersionQuerySerializer
from registry.api.namespaces.versions import NamespaceEventQuerySerializer, NamespaceVersionQuerySerializer
from registry.api.namespaces.views import NamespaceQuerySerializer
from registry.api.organisations.serializers import MembershipQuerySerializer, OrganisationQuerySerializer
from registry.api.problem_types import ProblemTypeQuerySerializer
from registry.api.registration_template import ComparisonQuerySerializer
from registry.api.schema.document import EXAMPLE_ORIGIN
from registry.api.schema.operations import operation
from registry.api.services import ServiceQuerySerializer
from registry.api.urns.views import URNQuerySerializer
from registry.api.webhooks.serializers import WebhookQuerySerializer
from registry.core.http.urls import absolute_url


class URITemplateField(serializers.CharField):
    """The address of a resource as a URI template (RFC 6570), with the query parameters of a serializer."""

    def __init__(
        self, path: str, query: type[serializers.Serializer[Any]] | None = None, *, base: str = "/api/v1/"
    ) -> None:
        super().__init__(source="*")
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

    namespaces = URITemplateField("namespaces/", NamespaceQuerySerializer)
    namespace = URITemplateField("namespaces/{nid}/")
    look_up_namespaces = URITemplateField("namespaces/lookup/")
    versions = URITemplateField("namespaces/{nid}/versions/", NamespaceVersionQuerySerializer)
    version = URITemplateField("namespaces/{nid}/versions/{version}/")
    template = URITemplateField("namespaces/{nid}/template.txt")
    profile = URITemplateField("namespaces/{nid}/profile/", ProfileVersionQuerySerializer)
    namespace_events = URITemplateField("namespaces/{nid}/events/", NamespaceEventQuerySerializer)
    compare_versions = URITemplateField("namespaces/{nid}/compare/", ComparisonQuerySerializer)
    transfers = URITemplateField("namespaces/{nid}/transfers/", TransferQuerySerializer)
    claim_namespace = URITemplateField("namespaces/{nid}/claims/")
    revise = URITemplateField("namespaces/{nid}/revise/")
    deprecate = URITemplateField("namespaces/{nid}/deprecate/")
    cases = URITemplateField("cases/", CaseQuerySerializer)
    case = URITemplateField("cases/{number}/")
    compare_rounds = URITemplateField("cases/{number}/compare/", ComparisonQuerySerializer)
    actions = URITemplateField("cases/{number}/actions/")
    transition = URITemplateField("cases/{number}/{transition}/")
    draft = URITemplateField("cases/{number}/draft/")
    check = URITemplateField("cases/{number}/check/")
    account = URITemplateField("account/")
    notifications = URITemplateField("account/notifications/")
    token = URITemplateField("token/")
    own_tokens = URITemplateField("account/tokens/", OwnTokenQuerySerializer)
    own_token = URITemplateField("account/tokens/{number}/")
    webhooks = URITemplateField("account/webhooks/", WebhookQuerySerializer)
    webhook = URITemplateField("account/webhooks/{number}/")
    organisations = URITemplateField("organisations/", OrganisationQuerySerializer)
    organisation = URITemplateField("organisations/{organisation}/")
    members = URITemplateField("organisations/{organisation}/members/", MembershipQuerySerializer)
    claims = URITemplateField("claims/", ClaimQuerySerializer)
    claim = URITemplateField("claims/{number}/")
    events = URITemplateField("events/", EventQuerySerializer)
    event_head = URITemplateField("events/head/")
    event_stream = URITemplateField("events/stream/", EventStreamQuerySerializer)
    domains = URITemplateField("organisations/{organisation}/domains/", DomainQuerySerializer)
    audit_log = URITemplateField("audit-log/")
    signed_heads = URITemplateField("audit-log/heads/", SignedHeadQuerySerializer)
    signed_head = URITemplateField("audit-log/heads/{size}/")
    signed_note = URITemplateField("audit-log/heads/{size}/note.txt")
    nid = URITemplateField("nids/{nid}/")
    urn = URITemplateField("urns/", URNQuerySerializer)
    check_urns = URITemplateField("urns/check/")
    resolve_urns = URITemplateField("resolve/")
    compare_urns = URITemplateField("urns/compare/")
    services = URITemplateField("services/", ServiceQuerySerializer)
    statistics = URITemplateField("statistics/")
    files = URITemplateField("files/", ExportFileQuerySerializer)
    problems = URITemplateField("problems/", ProblemTypeQuerySerializer)
    schema = URITemplateField("schema/")
    documentation = URITemplateField("", base="/api/")


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
