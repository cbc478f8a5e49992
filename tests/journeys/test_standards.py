"""What the approval body decides: standards actions, the fast track, appeals. Over HTTP alone."""

import pytest
from django.test import Client

from registry.accounts.models import User
from tests.support.browser import Walker, walker
from tests.support.factories import a_template

BODY = {"procedure": "fast_track", "body": "Example Standards Body"}


@pytest.fixture
def author(registrant: User) -> Walker:
    return walker(registrant)


@pytest.fixture
def reviewer(expert: User) -> Walker:
    return walker(expert)


@pytest.fixture
def assigner(administrator: User) -> Walker:
    return walker(administrator)


@pytest.fixture
def speaker(liaison: User) -> Walker:
    return walker(liaison)


@pytest.mark.exhaustive
def test_a_standards_action_is_reported_directed_and_registered(
    author: Walker, reviewer: Walker, assigner: Walker, speaker: Walker
) -> None:
    case = author.submit(a_template())
    reviewer.fill_in(
        f"{case}anticipate-standards-action/", anticipated="yes", reason="Part of a draft standard."
    )
    assert f"{case}approve/" not in reviewer.text
    assert reviewer.get(f"{case}approve/").status == 409
    reviewer.fill_in(f"{case}forward-report/", report="Sound; we recommend it.")
    assert "With the approval body" in reviewer.text
    assert case in speaker.get("/mine/").text

    speaker.fill_in(f"{case}direct/", is_approved="yes", reference="Minutes of 2026-11-20, item 4")
    assert "Minutes of 2026-11-20, item 4" in speaker.text
    assigner.fill_in(f"{case}assign/")
    assert Walker(Client()).get("/namespaces/example-trees/").status == 200


@pytest.mark.exhaustive
def test_a_standards_action_that_the_approval_body_declines_gets_no_appeal_to_it(
    author: Walker, reviewer: Walker, speaker: Walker
) -> None:
    case = author.submit(a_template(), standards_action="on")
    reviewer.fill_in(f"{case}forward-report/", report="We are in doubt.")
    speaker.fill_in(f"{case}direct/", is_approved="no", reference="Ballot 12")
    assert "This case is closed" in speaker.text
    assert "The approval body declined the request. This decision is final." in author.get(case).text
    assert "Start a new case instead" not in author.text
    assert f"{case}appeal/" not in author.text
    assert author.get(f"{case}appeal/").status == 409
    assert "Start a new case instead" in author.text


@pytest.mark.exhaustive
def test_a_case_is_appealed_once(author: Walker, reviewer: Walker, speaker: Walker) -> None:
    case = author.submit(a_template())
    reviewer.fill_in(f"{case}decline/", reason="No lasting commitment is visible.")
    author.fill_in(f"{case}appeal/", reason="Our statutes commit us.")
    speaker.fill_in(f"{case}direct/", is_approved="no", reference="Ballot 13")
    assert "the appeal was decided" in author.get(case).text
    assert author.get(f"{case}appeal/").status == 409
    assert "already appealed" in author.text


def test_a_declined_case_is_appealed_and_registered(
    author: Walker, reviewer: Walker, assigner: Walker, speaker: Walker
) -> None:
    case = author.submit(a_template())
    reviewer.fill_in(f"{case}decline/", reason="No lasting commitment is visible.")
    assert "No lasting commitment is visible." in Walker(Client()).get(case).text
    author.fill_in(f"{case}appeal/", reason="Our statutes commit us.")
    speaker.fill_in(f"{case}direct/", is_approved="yes", reference="Decision 7")
    assigner.fill_in(f"{case}assign/")
    assert "registered" in Walker(Client()).get("/namespaces/example-trees/").text


@pytest.mark.exhaustive
def test_a_recognised_body_decides_for_itself(
    author: Walker, reviewer: Walker, assigner: Walker, speaker: Walker
) -> None:
    case = author.submit(a_template(), **BODY)
    assert case in speaker.get("/mine/").text
    assert author.get(f"{case}request-completion/").status == 409
    assert "has not yet recognised" in author.text
    assert reviewer.get(f"{case}approve/").status == 409
    reviewer.fill_in(f"{case}advise/", rationale="Consider hyphens.")
    speaker.fill_in(f"{case}recognise/", reference="Decision 3", for_later_cases="on")
    assert "With the requesting body" in speaker.text
    assert case in author.get("/mine/").text
    author.fill_in(f"{case}request-completion/")
    assigner.fill_in(f"{case}assign/")
    assert Walker(Client()).get("/namespaces/example-trees/").status == 200

    later = author.submit(a_template(namespace_identifier="example-oaks", syntax="Opaque."), **BODY)
    assert "Your turn" in author.get(later).text


@pytest.mark.exhaustive
def test_a_body_that_is_not_recognised_goes_on_with_the_community(
    author: Walker, reviewer: Walker, assigner: Walker, speaker: Walker
) -> None:
    case = author.submit(a_template(), **BODY)
    speaker.fill_in(f"{case}refuse-recognition/", reference="Decision 4")
    assert "With the designated experts" in speaker.text
    assert author.get(f"{case}request-completion/").status == 409
    reviewer.fill_in(f"{case}approve/", rationale="Sound under the community procedure.")
    assigner.fill_in(f"{case}assign/")
    assert Walker(Client()).get("/namespaces/example-trees/").status == 200


def test_the_fast_track_needs_a_specification(author: Walker) -> None:
    author.begin(a_template(documentation=""), **BODY)
    author.fill_in(author.path, submit="1")
    assert author.status == 422
    assert "Documentation" in author.text


@pytest.mark.exhaustive
def test_a_withdrawn_case_stays_readable_and_ends(author: Walker, reviewer: Walker) -> None:
    case = author.submit(a_template())
    author.fill_in(f"{case}withdraw/", reason="We found another way.")
    assert "We found another way." in Walker(Client()).get(case).text
    assert reviewer.get(f"{case}approve/").status == 409
    assert author.get(f"{case}edit/").status == 409
