"""Reporting the use of a NID that is not registered, and the decision of an administrator."""

from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from registry.accounts.erasure import erase_person
from registry.accounts.models import RoleName, User
from registry.accounts.personal_data import find_person
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.names import NameRefused
from registry.core.rate_limits import LimitExceeded
from registry.mail.models import Message
from registry.sightings.actions import (
    InvalidSighting,
    SightedNIDRegistered,
    SightingDecided,
    SightingKnown,
    checked_texts,
    confirm_sighting,
    decline_sighting,
    remove_sighting,
)
from registry.sightings.models import Sighting, SightingState
from tests.sightings.conftest import SEEN, a_sighting
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person, an_imported_namespace


def test_a_report_is_read_by_its_reporter_and_administrators_alone(
    sighting: Sighting, reporter: User, administrator: User, registrant: User
) -> None:
    readers = {reporter: True, administrator: True, registrant: False, AnonymousUser(): False}
    assert {each: sighting in Sighting.objects.visible_to(each) for each in readers} == readers
    assert not Sighting.objects.public().exists()
    confirm_sighting(sighting, by=administrator, reason="The page shows it.")
    assert all(sighting in Sighting.objects.visible_to(each) for each in readers)
    remove_sighting(sighting, by=administrator, reason="The page is gone.")
    assert {each: sighting in Sighting.objects.visible_to(each) for each in readers} == readers


def test_reporter_and_administrators_are_mailed(
    sighting: Sighting, administrator: User, other_administrator: User
) -> None:
    confirm_sighting(sighting, by=administrator, reason="The page shows it.")
    decision = Message.objects.filter(name="confirm_sighting")
    people = {"reporter@example.org", administrator.email, other_administrator.email}
    assert {each.to for each in decision} == people
    assert "The page shows it." in decision[0].body
    assert f"/sightings/{sighting.pk}/" in decision[0].body
    assert {each.to for each in Message.objects.filter(name="report_sighting")} >= {"reporter@example.org"}
    event = Event.objects.get(verb="confirm_sighting")
    assert (event.details, event.nid) == ({"sighting": sighting.pk}, "")


@pytest.mark.parametrize(
    ("changes", "refusal", "words"),
    [
        ({"nid": "a b"}, InvalidSighting, "can't stand in the place of a NID"),
        ({"nid": "w" * 65}, InvalidSighting, "at most 64"),
        ({"nid": "..", "example": ""}, InvalidSighting, "not dots alone"),
        ({"nid": "a/../b", "example": ""}, InvalidSighting, "not dots alone"),
        ({"example": "urn:trees:5"}, InvalidSighting, "begins with “urn:weeds:”"),
        ({"example": "urn:weeds:a b"}, InvalidSighting, "without spaces"),
        ({"source": "javascript://example.org/"}, InvalidSighting, "not a web address"),
        ({"source": "mailto:me@example.org"}, InvalidSighting, "not a web address"),
        ({"source": "javascript:alert(1)"}, InvalidSighting, "not a web address"),
        ({"source": "https://example.org@other.example/"}, InvalidSighting, "without a user name"),
        ({"source": "https://example.org/\u202egpj"}, InvalidSighting, "in ASCII"),
        ({"source": "https://ex\u0430mple.org/"}, InvalidSighting, "in ASCII"),
        ({"source": "me@example.org"}, NameRefused, "looks like an address"),
        ({"source": " "}, RegistryError, "Enter the source"),
        ({"used_by": "Weeds at https://evil.example/"}, NameRefused, "looks like an address or a link"),
        ({"used_by": "W\u200beeds"}, NameRefused, "can't be seen"),
    ],
)
def test_texts_that_others_would_see_are_checked(
    changes: dict[str, str], refusal: type[RegistryError], words: str
) -> None:
    with pytest.raises(refusal, match=words):
        checked_texts(**SEEN | changes)


@pytest.mark.parametrize(
    ("typed", "stored"), [("Weeds", "weeds"), ("urn:weeds:", "weeds"), ("adsk.eagle", "adsk.eagle")]
)
def test_a_nid_is_stored_in_lower_case_also_if_it_breaks_the_grammar(typed: str, stored: str) -> None:
    assert checked_texts(**SEEN | {"nid": typed, "example": ""})["nid"] == stored
    assert Sighting(nid=stored).is_nid == ("." not in stored)


def test_a_registered_nid_or_a_known_source_is_refused(sighting: Sighting, reporter: User) -> None:
    an_imported_namespace("isbn")
    with pytest.raises(SightedNIDRegistered, match="“isbn” is registered"):
        a_sighting(by=reporter, nid="ISBN", example="")
    with pytest.raises(SightingKnown, match="already reported from this source"):
        a_sighting(by=reporter)
    assert a_sighting(by=reporter, source="Its manual, Section 2").pk > sighting.pk


def test_a_declined_use_can_be_reported_again(
    sighting: Sighting, reporter: User, administrator: User
) -> None:
    decline_sighting(sighting, by=administrator, reason="The page does not show it.")
    assert a_sighting(by=reporter).state == SightingState.REPORTED


def test_a_nid_that_was_registered_since_is_not_confirmed(sighting: Sighting, administrator: User) -> None:
    an_imported_namespace("weeds")
    with pytest.raises(SightedNIDRegistered, match="Decline the sighting"):
        confirm_sighting(sighting, by=administrator, reason="The page shows it.")
    decline_sighting(sighting, by=administrator, reason="It is registered.")


def test_who_reported_does_not_decide(administrator: User) -> None:
    own = a_sighting(by=administrator)
    with pytest.raises(NotPermitted):
        confirm_sighting(own, by=administrator, reason="I saw it.")


def test_reports_are_limited_for_each_account(reporter: User, registrant: User, settings: Any) -> None:
    settings.ACTIONS_AN_HOUR = settings.ACTIONS_AN_HOUR | {"sightings": 1}
    a_sighting(by=reporter)
    with pytest.raises(LimitExceeded, match="1 sightings an hour"):
        a_sighting(by=reporter, source="Its manual")
    a_sighting(by=registrant, source="Its manual")


def test_an_erased_reporter_leaves_what_is_public(reporter: User, administrator: User) -> None:
    kept, _, declined = (
        a_sighting(by=reporter, source=f"Its manual, Section {number}") for number in (1, 2, 3)
    )
    confirm_sighting(kept, by=administrator, reason="As Ms Reporter says.")
    decline_sighting(declined, by=administrator, reason="No.")
    erase_person(find_person(reporter.email), by=administrator, reason="They asked.")
    assert list(Sighting.objects.values_list("pk", "reason")) == [(kept.pk, "")]


@pytest.mark.usefixtures("real_database")
def test_of_two_administrators_who_decide_at_once_one_does() -> None:
    sighting = a_sighting(by=a_person(email="reporter@example.org"))
    first, second = (
        a_person(email=f"{which}@example.org", roles=(RoleName.ADMINISTRATOR,)) for which in ("a1", "a2")
    )
    answers = at_once(
        [
            partial(confirm_sighting, sighting, by=first, reason="It shows it."),
            partial(decline_sighting, sighting, by=second, reason="It does not."),
        ]
    )
    assert [type(each) for each in refusals(answers)] == [SightingDecided]
    assert Event.objects.filter(verb__in=["confirm_sighting", "decline_sighting"]).count() == 1


@pytest.mark.usefixtures("real_database")
def test_of_two_reports_from_one_source_at_once_one_is_kept() -> None:
    people = [a_person(email=f"reporter-{number}@example.org") for number in (1, 2)]
    answers = at_once([partial(a_sighting, by=each) for each in people])
    assert [type(each) for each in refusals(answers)] == [SightingKnown]
