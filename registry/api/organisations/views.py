"""`organisations/`: the public organisations, one organisation, and its history for members."""

from http import HTTPStatus

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.gravity import ScopeMissing
from registry.accounts.models import Scope, User
from registry.api.framework.actions import action_method, action_views
from registry.api.framework.authentication import TokenMissing
from registry.api.framework.fields import parse_number
from registry.api.framework.methods import token_operation
from registry.api.framework.pagination import KeysetPagination, PaginatedAPIView
from registry.api.framework.permissions import check_scope
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.organisations.serializers import (
    OrganisationEventPageSerializer,
    OrganisationEventQuerySerializer,
    OrganisationEventSerializer,
    OrganisationPageSerializer,
    OrganisationQuerySerializer,
    OrganisationSerializer,
)
from registry.api.schema.operations import POSITIVE_INTEGER, operation, path_parameter
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.pagination import Keyset
from registry.organisations.actions import ACTIONS
from registry.organisations.actions.organisations import CREATE_ORGANISATION, DESCRIBE_ORGANISATION
from registry.organisations.history import history_of, names_in_history
from registry.organisations.models import Organisation
from registry.organisations.queries import (
    get_organisation,
    get_own_organisation,
    get_represented_organisation,
)

ORGANISATION = path_parameter(
    "organisation", "OrganisationNumber", "The number of an organisation.", 1, **POSITIVE_INTEGER
)
OF_ORGANISATION = {"organisation": "$response.body#/number"}
LINKS = {
    "organisation": ("getOrganisation", OF_ORGANISATION),
    "change": ("changeOrganisation", OF_ORGANISATION),
    "members": ("listMembers", OF_ORGANISATION),
    "invite": ("inviteMember", OF_ORGANISATION),
    "domains": ("listDomains", OF_ORGANISATION),
}


class OrganisationUnknown(RegistryError):
    """There is no such organisation, or it has neither a namespace nor a public case. Its members, and people who are invited,
    then see it with a token that may read.
    """

    status = HTTPStatus.NOT_FOUND
    title = "No such organisation"


def find_represented(user: User, organisation: str) -> Organisation:
    return get_represented_organisation(user, parse_number(organisation))


def public_organisations() -> QuerySet[Organisation]:
    return Organisation.objects.public().prefetch_related("domains")


class OrganisationListView(PaginatedAPIView, TokenAPIView):
    """The organisations that have a namespace or a public case. POST creates one."""

    query = OrganisationQuerySerializer

    @operation(
        "listOrganisations",
        "All organisations",
        response=OrganisationPageSerializer,
        about="The organisations that have a namespace or a public case, in the order in which they were created.",
        links={"organisation": ("getOrganisation", {"organisation": "$response.body#/results/0/number"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        return self.paginated(request, public_organisations(), OrganisationSerializer)

    post = action_method(
        CREATE_ORGANISATION,
        lambda user: user,
        lambda organisation, user: OrganisationSerializer(organisation).data,
        response=OrganisationSerializer,
        status=HTTPStatus.CREATED,
        location=lambda organisation: api_url("members", organisation=organisation.pk),
        about=(
            "The user becomes its first representative; invite a second one. Others can see it as soon as it has a namespace "
            "or a public case. Location is the list of its members."
        ),
        links=LINKS,
    )


class OrganisationDetailView(TokenAPIView):
    """One organisation. Of one that is not public, the response is private."""

    @operation(
        "getOrganisation",
        "One organisation",
        response=OrganisationSerializer,
        about="An organisation that has a namespace or a public case. Its members, and people who are invited, see it before, too, "
        "with a token that has the scope `read`.",
        refusals=(OrganisationUnknown,),
        parameters=(ORGANISATION,),
        links=LINKS,
    )
    def get(self, request: Request, organisation: str) -> Response:
        number = parse_number(organisation)
        found = public_organisations().filter(pk=number).first() or self._own(number)
        return Response(OrganisationSerializer(found).data)

    def _own(self, number: int) -> Organisation:
        """An organisation that is not public, and that the owner of the token may see. Raises OrganisationUnknown."""
        self.is_private = True
        try:
            check_scope(self.request, Scope.READ)
            return get_organisation(self.user, number)
        except (TokenMissing, ScopeMissing, NotPermitted):
            raise OrganisationUnknown(
                "No organisation with this number has a namespace or a public case."
            ) from None

    def current_representation(self, request: Request, organisation: str) -> Response:
        represented = find_represented(self.user, organisation)
        return Response(OrganisationSerializer(represented).data)

    put = action_method(
        DESCRIBE_ORGANISATION,
        find_represented,
        lambda organisation, user: OrganisationSerializer(organisation).data,
        response=OrganisationSerializer,
        summary="Change an organisation",
        about="Replaces the name and the homepage. The registered texts stay. Only representatives can do this.",
        parameters=(ORGANISATION,),
        links=LINKS,
        is_once=False,
        is_conditional=True,
        is_body_needed=True,
    )


ACTION_VIEWS = action_views(
    ACTIONS,
    lambda user, organisation: get_organisation(user, parse_number(organisation)),
    lambda organisation, user: OrganisationSerializer(organisation).data,
    response=OrganisationSerializer,
    parameters=(ORGANISATION,),
    links=LINKS,
)


class OrganisationEventPagination(KeysetPagination):
    """The latest first."""

    keyset = Keyset("-number")


class OrganisationEventListView(PaginatedAPIView, TokenAPIView):
    """The history of an organisation."""

    query = OrganisationEventQuerySerializer
    pagination_class = OrganisationEventPagination

    @token_operation(
        "listOrganisationEvents",
        "The history of an organisation",
        scope=Scope.READ,
        response=OrganisationEventPageSerializer,
        about="The changes of the organisation, its members and its domains, the latest first. Only members can read it.",
        refusals=(NOT_FOUND,),
        parameters=[ORGANISATION],
    )
    def get(self, request: Request, organisation: str) -> HttpResponseBase:
        own = get_own_organisation(self.user, parse_number(organisation))
        return self.paginated(
            request, history_of(own), OrganisationEventSerializer, context={"names": names_in_history(own)}
        )
