"""`sightings/` and `account/sightings/`: NIDs that are in use although no namespace has them, and decisions on reports of them."""

from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.gravity import ScopeMissing
from registry.accounts.models import Scope, User
from registry.actions.declarations import offered
from registry.api.framework.actions import action_method, action_views
from registry.api.framework.authentication import TokenMissing
from registry.api.framework.fields import NullableCharField, SearchTextField, parse_number, query_choice
from registry.api.framework.methods import token_operation
from registry.api.framework.pagination import FieldsField, PageQuerySerializer, PaginatedAPIView, page_of
from registry.api.framework.permissions import check_scope
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.schema.operations import POSITIVE_INTEGER, operation, path_parameter
from registry.core.exceptions import NotPermitted
from registry.sightings.actions import DECISIONS, REPORT_SIGHTING, get_sighting, may_see_reason
from registry.sightings.models import Sighting, SightingState

SIGHTED_HELP = "What stands in the place of the NID, in lower case."


class SightingLinksSerializer(serializers.Serializer[Sighting]):
    """Addresses related to a sighting."""

    self = LinkField("sighting", number="pk")
    nid = LinkField("nid", nid="nid", help_text="The address of the report on the NID.")
    html = PageLinkField()


class SightedUseSerializer(serializers.ModelSerializer[Sighting]):
    """A use of a NID that is not registered. It gives the NID no standing."""

    number = serializers.IntegerField(source="pk", help_text="The number of the sighting.")
    example = NullableCharField(help_text="A name as it is used; null if none is known.")
    links = SightingLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = Sighting
        fields: tuple[str, ...] = ("number", "used_by", "example", "source", "links")
        read_only_fields = fields
        extra_kwargs = {
            "used_by": {"help_text": "The software, standard or organisation that uses it."},
            "source": {"help_text": "The web address of a page that shows the use, or the source in words."},
        }


class SightingSerializer(SightedUseSerializer):
    """A report that a NID is in use although no namespace has it."""

    nid = serializers.CharField(help_text=SIGHTED_HELP)
    is_nid = serializers.BooleanField(help_text="Whether it is a NID by the grammar (RFC 8141, Section 2).")
    state = serializers.ChoiceField(
        choices=SightingState.choices, help_text="Whether it is confirmed, which makes it public."
    )

    class Meta(SightedUseSerializer.Meta):
        fields: tuple[str, ...] = (
            "number",
            "nid",
            "is_nid",
            "used_by",
            "example",
            "source",
            "state",
            "reported_at",
            "decided_at",
            "links",
        )
        read_only_fields = fields
        extra_kwargs = {
            **SightedUseSerializer.Meta.extra_kwargs,
            "reported_at": {"help_text": "The time of the report."},
            "decided_at": {"help_text": "The time of the decision; null before."},
        }


class OwnSightingSerializer(SightingSerializer):
    """A sighting, as the owner of the token sees it."""

    reason = serializers.SerializerMethodField(
        help_text="The reason of the decision, for the reporter and administrators; null for others, and without a decision."
    )
    actions = serializers.SerializerMethodField(
        help_text="The addresses of the decisions that the user can make."
    )

    class Meta(SightingSerializer.Meta):
        fields = (*SightingSerializer.Meta.fields, "reason", "actions")
        read_only_fields = fields

    def get_reason(self, sighting: Sighting) -> str | None:
        return (sighting.reason or None) if may_see_reason(self.context["user"], sighting) else None

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_actions(self, sighting: Sighting) -> dict[str, str]:
        possible = offered(DECISIONS, self.context["user"], sighting)
        return {name: api_url(f"{name}-sighting", number=sighting.pk) for name in possible}


class SightingQuerySerializer(PageQuerySerializer):
    """The page, and filters."""

    nid = SearchTextField(required=False, help_text="Only sightings of this NID.")
    fields = FieldsField(SightingSerializer, always="number")  # type: ignore[assignment]  # a parameter


class OwnSightingQuerySerializer(PageQuerySerializer):
    """The page, and a filter."""

    state = query_choice("state", tuple(SightingState.values), help_text="Only sightings with this state.")
    fields = FieldsField(OwnSightingSerializer, always="number")  # type: ignore[assignment]  # a parameter


NUMBER = path_parameter("number", "SightingNumber", "The number of a sighting.", 1, **POSITIVE_INTEGER)
OF_SIGHTING = {"number": "$response.body#/number"}
LINKS = {"sighting": ("getSighting", OF_SIGHTING), "NID check": ("checkNid", {"nid": "$response.body#/nid"})}
OF_FIRST = {"sighting": ("getSighting", {"number": "$response.body#/results/0/number"})}


def _found(user: User, number: str) -> Sighting:
    return get_sighting(user, parse_number(number))


def _rendered(sighting: Sighting, user: User) -> Any:
    return OwnSightingSerializer(sighting, context={"user": user}).data


class SightingListView(PaginatedAPIView, TokenAPIView):
    """The confirmed sightings of NIDs that are not registered."""

    query = SightingQuerySerializer

    @operation(
        "listSightings",
        "Unregistered NIDs in use",
        response=page_of(SightingSerializer, "A page of sightings."),
        about="The confirmed sightings of NIDs that are in use although no namespace has them, in the order of their numbers. They "
        "give a NID no standing: URNs with it conform to no namespace.",
        links=OF_FIRST,
    )
    def get(self, request: Request) -> HttpResponseBase:
        sightings = Sighting.objects.public()
        if nid := self.parameters.get("nid"):
            sightings = sightings.of([nid.lower()])
        return self.paginated(request, sightings, SightingSerializer)

    post = action_method(
        REPORT_SIGHTING,
        lambda user: user,
        _rendered,
        response=OwnSightingSerializer,
        status=HTTPStatus.CREATED,
        location=lambda sighting: api_url("sighting", number=sighting.pk),
        about="Reports that a NID is in use although no namespace has it. An administrator checks the source, which the registry "
        "never requests. If the sighting is confirmed, it is public, without the name of the reporter.",
        links=LINKS,
    )


class SightingDetailView(TokenAPIView):
    """One sighting. Of one that is not public, the response is private."""

    @operation(
        "getSighting",
        "A sighting",
        response=SightingSerializer,
        about="A confirmed sighting. Its reporter and administrators see it before, too, with a token that has the scope `read`. It "
        "is kept when the NID is registered.",
        refusals=(NOT_FOUND,),
        parameters=(NUMBER,),
        links=LINKS,
    )
    def get(self, request: Request, number: str) -> Response:
        found = Sighting.objects.confirmed().filter(pk=parse_number(number)).first()
        return Response(SightingSerializer(found or self._own(number)).data)

    def _own(self, number: str) -> Sighting:
        """A sighting that is not public, and that the owner of the token may see. Raises NotPermitted."""
        self.is_private = True
        try:
            check_scope(self.request, Scope.READ)
        except (TokenMissing, ScopeMissing):
            raise NotPermitted("No confirmed sighting has this number.") from None
        return _found(self.user, number)


class OwnSightingListView(PaginatedAPIView, TokenAPIView):
    """The sightings that the user reported, or decides on."""

    query = OwnSightingQuerySerializer

    @token_operation(
        "listOwnSightings",
        "The sightings that the user reported",
        scope=Scope.READ,
        response=page_of(OwnSightingSerializer, "A page of sightings, as the user sees them."),
        about="The sightings that the user reported, in any state. Administrators get those of others, too, with the decisions that "
        "they can make.",
        links=OF_FIRST,
    )
    def get(self, request: Request) -> HttpResponseBase:
        sightings = Sighting.objects.concerning(self.user).with_registration()
        if state := self.parameters.get("state"):
            sightings = sightings.filter(state=state)
        return self.paginated(request, sightings, OwnSightingSerializer, context={"user": self.user})


DECISION_VIEWS = action_views(
    DECISIONS, _found, _rendered, response=OwnSightingSerializer, parameters=(NUMBER,), links=LINKS
)
