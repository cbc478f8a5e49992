"""Adding an action on an organisation by the recipe of CONTRIBUTING.md: the page, the link to it, the endpoint and the line of
the history need nothing but its declaration with its function.
"""

import sys
from collections.abc import Iterator

import pytest
from django.test import override_settings
from django.urls import include, path
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.gravity import Gravity
from registry.accounts.models import User
from registry.actions.declarations import Action, ActionContext, Condition, actions_on, events_in
from registry.actions.engine import performs
from registry.actions.pages import action_paths
from registry.actions.parameters import public_reason
from registry.api.framework.actions import action_views
from registry.api.organisations.serializers import OrganisationSerializer
from registry.api.organisations.views import ORGANISATION as ORGANISATION_PARAMETER
from registry.api.urls import action_resources
from registry.audit_log.models import Event
from registry.core.validators import check_text
from registry.organisations import history, views
from registry.organisations.actions import MODULES, members, organisations
from registry.organisations.event_details import ORGANISATION as ORGANISATION_NUMBER
from registry.organisations.models import Organisation
from registry.organisations.permissions import ONLY_REPRESENTATIVES, represents
from registry.organisations.queries import get_organisation
from registry.organisations.subjects import ORGANISATION
from tests.api.client import TokenClient, check_problem
from tests.support.browser import signed_in

pytestmark = pytest.mark.django_db

REMOVE_HOMEPAGE = Action[Organisation](
    name="remove_homepage",
    label="Remove the homepage",
    effect="The page of the organisation no longer links to it.",
    success="The homepage was removed.",
    past="Removed the homepage",
    details=(ORGANISATION_NUMBER,),
    is_public=False,
    permission=represents,
    not_permitted=ONLY_REPRESENTATIVES,
    gravity=Gravity.CONTROL,
    conditions=(Condition(lambda organisation: bool(organisation.homepage), "There is none."),),
    parameters=(public_reason(sample="It closed."),),
    is_grave=True,
)


@performs(REMOVE_HOMEPAGE, ORGANISATION)
def remove_homepage(context: ActionContext[Organisation], *, reason: str) -> None:
    context.reason = check_text(reason, "the reason", argument="reason")
    context.subject.homepage = ""
    context.subject.save(update_fields=["homepage"])


# As registry/organisations and registry/api/organisations have it of MODULES.
ADDED = actions_on(ORGANISATION, sys.modules[__name__])
ENDPOINTS = action_views(
    ADDED,
    lambda user, organisation: get_organisation(user, int(organisation)),
    lambda organisation, user: OrganisationSerializer(organisation).data,
    response=OrganisationSerializer,
    parameters=(ORGANISATION_PARAMETER,),
)
urlpatterns = [
    path("organisations/", include(action_paths("<int:pk>/", ADDED, get_organisation))),
    path("api/v1/", include(action_resources("organisations/<organisation>/", ENDPOINTS))),
    path("", include("registry.urls")),
]


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    types = {each.name: each for each in events_in(*MODULES, sys.modules[__name__])}
    monkeypatch.setattr(history, "event_types", lambda: types)
    monkeypatch.setattr(views, "ACTIONS", ADDED)
    with override_settings(ROOT_URLCONF=__name__):
        yield


def test_its_page_is_linked_and_carries_it_out(arboretum: Organisation, representative: User) -> None:
    client, page = signed_in(representative), f"{arboretum.get_absolute_url()}remove-homepage/"
    link = f'<a class="button danger" href="{page}">Remove the homepage</a>'
    assertContains(client.get(arboretum.get_absolute_url()), link, html=True)
    assertContains(client.get(page), REMOVE_HOMEPAGE.effect)
    assertContains(client.post(page, {"reason": ""}), "Reason", status_code=422)
    answer = client.post(page, {"reason": "It closed."}, follow=True)
    assertContains(answer, "The homepage was removed.")
    assertNotContains(answer, page)
    assertContains(client.get(page), "There is none.", status_code=409)
    assertContains(client.get(f"{arboretum.get_absolute_url()}members/"), "Removed the homepage")
    event = Event.objects.latest("number")
    assert (event.verb, event.reason) == ("remove_homepage", "It closed.")


def test_its_endpoint_takes_it_once(arboretum: Organisation, representative: User) -> None:
    path, body = f"organisations/{arboretum.pk}/remove-homepage/", REMOVE_HOMEPAGE.sample
    managing = TokenClient(representative)
    assert managing.post(path, body).json()["homepage"] is None
    check_problem(managing.post(path, body), 409, "condition-not-met", "There is none.")


def test_those_with_pages_of_their_own_are_left_out() -> None:
    found = actions_on(ORGANISATION, organisations, members)
    assert list(found) == ["describe-organisation", "invite-member"]
    assert found["invite-member"] is members.INVITE_MEMBER
    assert list(actions_on(ORGANISATION, organisations, members, without=(members.INVITE_MEMBER,))) == [
        "describe-organisation"
    ]
