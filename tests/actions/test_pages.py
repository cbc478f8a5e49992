"""What the pages of actions have in common, on an action that no app declares."""

import pytest
from django.urls import path

from registry.accounts.gravity import Gravity
from registry.accounts.models import User
from registry.actions.declarations import Action
from registry.actions.pages import action_page
from registry.urls import urlpatterns as addresses
from tests.support.browser import signed_in
from tests.support.factories import a_person

GREET = Action[User](
    name="greet",
    effect="Says hello.",
    success="You said hello.",
    permission=lambda *_: True,
    gravity=Gravity.ORDINARY,
)
urlpatterns = [
    path("greet/", action_page(GREET, lambda person: User.objects.exclude(pk=person.pk).get())),
    *addresses,
]


@pytest.mark.urls(__name__)
def test_an_account_as_the_subject_is_not_taken_for_the_reader(db: None) -> None:
    reader = a_person(email="reader@example.org", time_zone="Europe/Vienna")
    greeted = a_person(email="greeted@example.org", time_zone="Asia/Tokyo")
    answer = signed_in(reader).get("/greet/")
    assert answer.context["subject"] == greeted
    assert answer.context["user"] == reader
    assert "Time zone: Europe/Vienna" in answer.text
