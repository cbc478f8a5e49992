"""`organisations/{organisation}/domains/`: the domains of an organisation, for its representatives."""

from http import HTTPStatus

from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.domains.serializers import (
    DomainListSerializer,
    DomainQuerySerializer,
    DomainRequestSerializer,
    DomainSerializer,
)
from registry.api.framework.fields import EmptyRequestSerializer, parse_number
from registry.api.framework.pagination import chosen_entries
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.organisations.views import ORGANISATION
from registry.api.schema.operations import POSITIVE_INTEGER, path_parameter
from registry.api.schema.token_operations import token_operation, write_operation
from registry.domains import exceptions, services
from registry.domains.models import OrganisationDomain
from registry.domains.queries import get_domain
from registry.organisations.queries import get_represented_organisation

DOMAIN = path_parameter("number", "DomainNumber", "The number of a domain.", 1, **POSITIVE_INTEGER)
LINKS = {
    name: (operation, {"organisation": "$request.path.organisation", "number": "$response.body#/number"})
    for name, operation in {"domain": "getDomain", "check": "checkDomain", "remove": "removeDomain"}.items()
}


class DomainAPIView(TokenAPIView):
    """A resource below one organisation, which the user represents."""

    def domain(self, organisation: str, number: str) -> OrganisationDomain:
        return get_domain(self.user, parse_number(organisation), parse_number(number))


class DomainListView(DomainAPIView):
    """The domains of an organisation. POST adds one."""

    query = DomainQuerySerializer

    @token_operation(
        "listDomains",
        "The domains of an organisation",
        scope=Scope.READ,
        response=DomainListSerializer,
        about="For representatives of the organisation. Others see verified domains on its page.",
        refusals=(NOT_FOUND,),
        parameters=(ORGANISATION,),
    )
    def get(self, request: Request, organisation: str) -> Response:
        represented = get_represented_organisation(self.user, parse_number(organisation))
        return Response(
            chosen_entries(DomainListSerializer({"results": represented.domains.all()}), self.parameters)
        )

    @write_operation(
        "addDomain",
        "Add a domain",
        action=services.add_domain,
        request=DomainRequestSerializer,
        response=DomainSerializer,
        status=HTTPStatus.CREATED,
        about="Publish `proof` as a TXT record or in a file, then request a check.",
        refusals=(exceptions.InvalidDomain, exceptions.DomainPresent, exceptions.TooManyDomains),
        parameters=(ORGANISATION,),
        links=LINKS,
    )
    def post(self, request: Request, organisation: str) -> Response:
        represented = get_represented_organisation(self.user, parse_number(organisation))
        body = self.validated_data(DomainRequestSerializer)
        added = services.add_domain(represented, by=self.user, **body)
        headers = {"Location": api_url("domain", organisation=represented.pk, number=added.pk)}
        return Response(DomainSerializer(added).data, HTTPStatus.CREATED, headers=headers)


class DomainDetailView(DomainAPIView):
    """One domain."""

    @token_operation(
        "getDomain",
        "A domain of an organisation",
        scope=Scope.READ,
        response=DomainSerializer,
        about="What proves the domain, and how the last check went.",
        refusals=(NOT_FOUND,),
        parameters=(ORGANISATION, DOMAIN),
        links=LINKS,
        has_etag=True,
    )
    def get(self, request: Request, organisation: str, number: str) -> Response:
        return Response(DomainSerializer(self.domain(organisation, number)).data)

    @write_operation(
        "removeDomain",
        "Remove a domain",
        action=services.remove_domain,
        request=None,
        response=None,
        status=HTTPStatus.NO_CONTENT,
        about="The domain is no longer verified.",
        parameters=(ORGANISATION, DOMAIN),
        is_once=False,
        is_conditional=True,
    )
    def delete(self, request: Request, organisation: str, number: str) -> Response:
        services.remove_domain(self.domain(organisation, number), by=self.user)
        return Response(status=HTTPStatus.NO_CONTENT)


class CheckDomainView(DomainAPIView):
    """Request a check of a domain."""

    @write_operation(
        "checkDomain",
        "Check a domain",
        scope=Scope.WRITE,
        request=EmptyRequestSerializer,
        response=DomainSerializer,
        about="The worker looks for the proof within a minute, and `checked_at` then changes.",
        refusals=(exceptions.CheckedJustNow,),
        parameters=(ORGANISATION, DOMAIN),
        links=LINKS,
    )
    def post(self, request: Request, organisation: str, number: str) -> Response:
        domain = self.domain(organisation, number)
        self.validated_data(EmptyRequestSerializer)
        return Response(DomainSerializer(services.request_check(domain, by=self.user)).data)
