"""`organisations/{organisation}/domains/`: the domains of an organisation, for its representatives."""

from http import HTTPStatus
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.framework.actions import action_method, action_view
from registry.api.framework.fields import (
    NullableCharField,
    NullableChoiceField,
    parse_number,
)
from registry.api.framework.methods import token_operation
from registry.api.framework.pagination import chosen_entries, sparse_query
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import LinkField, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.organisations.views import ORGANISATION, find_represented
from registry.api.schema.operations import POSITIVE_INTEGER, path_parameter
from registry.domains.actions import ACTIONS, ADD_DOMAIN, REMOVE_DOMAIN, REQUEST_CHECK
from registry.domains.models import Method, OrganisationDomain
from registry.domains.subjects import get_domain


class DomainLinksSerializer(serializers.Serializer[OrganisationDomain]):
    """Addresses related to a domain."""

    check = LinkField(
        "check-domain",
        organisation="organisation_id",
        number="pk",
        help_text="The address that requests a check.",
    )
    self = LinkField(
        "domain", organisation="organisation_id", number="pk", help_text="The address of the domain."
    )


class DomainSerializer(serializers.ModelSerializer[OrganisationDomain]):
    """A domain of an organisation, and what proves it."""

    number = serializers.IntegerField(source="pk", help_text="The number of the domain.")
    proof = serializers.CharField(help_text="The text of the TXT record, or a line of the file.")
    record = serializers.CharField(source="record_name", help_text="The name of the TXT record.")
    file = serializers.URLField(source="file_address", help_text="The address of the file.")
    method = NullableChoiceField(
        choices=Method.values, help_text="How it is proved; null if it is not verified."
    )
    failure = NullableCharField(help_text="Why the last check failed; null if it did not.")
    lost_at = serializers.DateTimeField(
        allow_null=True, help_text="When it stops being verified, if the proof stays missing; null otherwise."
    )
    links = DomainLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = OrganisationDomain
        fields = (
            "number",
            "domain",
            "proof",
            "record",
            "file",
            "added_at",
            "check_requested_at",
            "checked_at",
            "failure",
            "verified_at",
            "method",
            "lost_at",
            "links",
        )
        read_only_fields = fields
        extra_kwargs = {
            "domain": {"help_text": "The name of the domain."},
            "added_at": {"help_text": "The time at which it was added."},
            "check_requested_at": {
                "help_text": "The time of a request that waits for the worker; null without one."
            },
            "checked_at": {"help_text": "The time of the last check; null before the first."},
            "verified_at": {"help_text": "The time since which it is verified; null if it is not."},
        }


class DomainListSerializer(serializers.Serializer[Any]):
    """The domains of one organisation, by name."""

    results = DomainSerializer(many=True, help_text="The domains.")


DomainQuerySerializer = sparse_query(DomainSerializer, always="number")


DOMAIN = path_parameter("number", "DomainNumber", "The number of a domain.", 1, **POSITIVE_INTEGER)
OF_DOMAIN = {"organisation": "$request.path.organisation", "number": "$response.body#/number"}
LINKS = {
    "domain": ("getDomain", OF_DOMAIN),
    **{name: (each.operation_id, OF_DOMAIN) for name, each in ACTIONS.items()},
}


def _domain(user: User, organisation: str, number: str) -> OrganisationDomain:
    return get_domain(user, parse_number(organisation), parse_number(number))


def _rendered(domain: OrganisationDomain, user: User) -> Any:
    return DomainSerializer(domain).data


class DomainListView(TokenAPIView):
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
        represented = find_represented(self.user, organisation)
        return Response(
            chosen_entries(DomainListSerializer({"results": represented.domains.all()}), self.parameters)
        )

    post = action_method(
        ADD_DOMAIN,
        find_represented,
        _rendered,
        response=DomainSerializer,
        status=HTTPStatus.CREATED,
        location=lambda domain: api_url("domain", organisation=domain.organisation_id, number=domain.pk),
        about="Publish `proof` as a TXT record or in a file, then request a check.",
        parameters=(ORGANISATION,),
        links=LINKS,
    )


class DomainDetailView(TokenAPIView):
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
        return Response(_rendered(_domain(self.user, organisation, number), self.user))

    delete = action_method(
        REMOVE_DOMAIN,
        _domain,
        request=None,
        summary="Remove a domain",
        parameters=(ORGANISATION, DOMAIN),
        is_once=False,
        is_conditional=True,
    )


CheckDomainView = action_view(
    REQUEST_CHECK,
    _domain,
    _rendered,
    response=DomainSerializer,
    summary="Check a domain",
    about="The worker looks for the proof within a minute, and `checked_at` then changes.",
    parameters=(ORGANISATION, DOMAIN),
    links=LINKS,
)
