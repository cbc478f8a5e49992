"""`registrations/`: the cases that are public, for everybody to read."""

from typing import Any

from django.db.models import Q, QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.case_shapes import CaseDetailSerializer, CaseSerializer
from registry.api.description import NUMBER, operation
from registry.api.pages import KeyField, Page, PageSizeField, cut, in_json, page
from registry.api.parameters import DayField, NIDField, YesOrNoField, beginning, one_of
from registry.api.public_cases import PUBLIC_STATES, CaseUnknown, public_case
from registry.api.resources import PublicResource, address
from registry.namespaces.models import Kind
from registry.registrations.models import OPEN_STATES, Procedure, Registration

OF_CASE = {"number": "$response.body#/number"}


class CaseQuery(serializers.Serializer[Any]):
    """Which cases. `updated_since` asks since when they are in their state."""

    state = one_of("state", PUBLIC_STATES)
    kind = one_of("kind", tuple(Kind.values))
    procedure = one_of("procedure", tuple(Procedure.values))
    is_open = YesOrNoField(required=False)
    is_revision = YesOrNoField(required=False)
    nid = NIDField(required=False, help_text="The NID that is asked for, revised or registered.")
    updated_since = DayField(required=False)
    ordering = one_of("ordering", ("-number", "number"), default="-number")
    after = KeyField(required=False)
    page_size = PageSizeField()


class CasePage(Page):
    """Some cases."""

    results = CaseSerializer(many=True)


class CaseList(PublicResource):
    """The cases that are public: from their first submission on. The latest come first."""

    query = CaseQuery

    @operation(
        "registrations",
        "All cases",
        answers=CasePage,
        parameters=[CaseQuery],
        links={
            "case": ("registration", {"number": "$response.body#/results/0/number"}),
            "next page": ("registrations", {"after": "$response.body#/results/0/number"}),
        },
    )
    def get(self, request: Request) -> Response:
        found, has_more = cut(_chosen(self.parameters), self.parameters["page_size"])
        after = {"after": found[-1].pk} if has_more else {}
        return page(request, in_json(CaseSerializer, found), address("registrations"), **after)


def _chosen(asked: dict[str, Any]) -> QuerySet[Registration, Registration]:
    cases = Registration.objects.public().select_related("namespace", "body", "registrant").defer("draft")
    exact = ("state", "kind", "procedure", "is_revision")
    cases = cases.filter(**{name: asked[name] for name in exact if name in asked})
    if "is_open" in asked:
        is_open = Q(state__in=sorted(OPEN_STATES))
        cases = cases.filter(is_open if asked["is_open"] else ~is_open)
    if nid := asked.get("nid"):
        cases = cases.filter(Q(requested_nid=nid) | Q(namespace__nid=nid))
    if since := asked.get("updated_since"):
        cases = cases.filter(state_since__gte=beginning(since))
    ascending = asked["ordering"] == "number"
    if "after" in asked:
        cases = cases.filter(**{"pk__gt" if ascending else "pk__lt": asked["after"]})
    return cases.order_by("pk" if ascending else "-pk")


class CaseDetail(PublicResource):
    """One case, with its rounds and with the cases that want the same."""

    @operation(
        "registration",
        "One case",
        answers=CaseDetailSerializer,
        refusals=[CaseUnknown],
        parameters=[NUMBER],
        links={
            "round": ("round", {**OF_CASE, "round": "$response.body#/rounds/0/round"}),
            "rounds": ("rounds", OF_CASE),
            "reviews": ("reviews", OF_CASE),
            "comments": ("comments", OF_CASE),
            "events": ("registration_events", OF_CASE),
            "namespace": ("namespace", {"nid": "$response.body#/namespace"}),
        },
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(CaseDetailSerializer(public_case(number)).data)
