"""From draft to lookup, over HTTP alone: a formal namespace, its revision, and two who want one name."""

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.models import ActionPoint
from registry.devserver.demonstration import FIXTURES
from tests.support.browser import Walker, walker
from tests.support.factories import a_template

NID = "example-museums"
ORGANIZATION = "Example Society of Museums"


def test_a_pasted_template_goes_from_draft_to_lookup(
    registrant: User, expert: User, administrator: User
) -> None:
    template = (FIXTURES / "cases" / f"{NID}.txt").read_text(encoding="utf-8")
    author, reviewer, assigner = walker(registrant), walker(expert), walker(administrator)

    author.fill_in("/cases/new/", kind="formal", template=template)
    case = author.path.removesuffix("edit/")
    assert author.field("namespace_identifier") == NID
    assert "A number is never assigned again." in author.field("assignment")
    author.fill_in(
        f"{case}edit/",
        registrant_organization=ORGANIZATION,
        registrant_address="1 Example Street, Exampletown",
        registrant_contact_person="Example Registrant",
        registrant_email="registrant@example.org",
        registrant_phone="",
        registrant_postal_address="",
        registrant_other="",
        submit="1",
    )
    assert author.path == case
    assert "in review" in author.text
    assert case in Walker(Client()).get("/cases/").text

    reviewer.fill_in(
        f"{case}request-changes/",
        rationale="Close.",
        **{"points-0-section": "resolution", "points-0-text": "Say whether resolution is intended."},
    )
    assert "changes requested" in reviewer.text

    author.get(f"{case}edit/")
    assert "Say whether resolution is intended." in author.text
    author.fill_in(f"{case}edit/", resolution="Resolution is not intended.", submit="1")
    assert author.status == 422
    assert "Answer each action point" in author.text
    answer = f"point_{ActionPoint.objects.get().pk}_outcome"
    author.fill_in(f"{case}edit/", submit="1", **{answer: "done"})
    assert "Round 2" in author.text
    assert "Resolution is not intended." in reviewer.get(f"{case}compare/?from=1&to=2").text

    reviewer.fill_in(f"{case}approve/", rationale="It says everything now.")
    assigner.get(f"{case}assign/")
    assert f"Registers {NID}, version 1" in assigner.text
    assigner.fill_in(f"{case}assign/")
    assert "registered" in assigner.text

    anyone = Walker(Client())
    assert ORGANIZATION in anyone.get(f"/namespaces/{NID}/").text
    answer = anyone.get(f"/api/v1/namespaces/{NID.upper()}/").answer.json()
    assert (answer["nid"], answer["kind"]) == (NID, "formal")


@pytest.mark.exhaustive
def test_a_revision_becomes_version_2_and_both_stay_readable(
    registrant: User, expert: User, administrator: User
) -> None:
    author, reviewer, assigner = walker(registrant), walker(expert), walker(administrator)
    author.register(a_template(), reviewer=reviewer, assigner=assigner)

    author.fill_in("/namespaces/example-trees/revise/")
    case = author.path.removesuffix("edit/")
    author.fill_in(f"{case}edit/", date="2027-01-05", resolution="Gardens resolve names.", submit="1")
    assert author.status == 422
    assert "Revision Information" in author.text
    author.fill_in(f"{case}edit/", revision_information="Gardens resolve names now.", submit="1")
    assert author.path == case
    reviewer.fill_in(f"{case}approve/", rationale="A welcome change.")
    assigner.get(f"{case}assign/")
    assert "Registers version 2 of example-trees." in assigner.text
    assigner.fill_in(f"{case}assign/")

    anyone = Walker(Client())
    assert "version 2" in anyone.get("/namespaces/example-trees/").text
    assert "Gardens resolve names." in anyone.get("/namespaces/example-trees/versions/2/").text
    assert "public catalogue is intended" in anyone.get("/namespaces/example-trees/versions/1/").text
    difference = anyone.get("/namespaces/example-trees/compare/?from=1&to=2").text
    assert "<del>" in difference
    assert "<ins>" in difference
    assert anyone.get("/api/v1/namespaces/example-trees/").answer.json()["version"] == 2


@pytest.mark.exhaustive
def test_two_who_ask_for_one_name_see_each_other_and_one_gets_it(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    first, second = walker(registrant), walker(participant)
    reviewer, assigner = walker(expert), walker(administrator)
    case = first.submit(a_template())
    competing_case = second.submit(a_template(purpose="Names other trees. Any garden may use it."))
    assert f'href="{case}"' in second.get(competing_case).text
    assert f'href="{competing_case}"' in first.get(case).text
    for each in (case, competing_case):
        reviewer.fill_in(f"{each}approve/", rationale="Sound.")

    assigner.fill_in(f"{competing_case}assign/")
    assigner.fill_in(f"{case}assign/")

    assert assigner.status == 409
    assert "has been registered since" in assigner.text
    assigner.fill_in(f"{case}return-to-registrant/", reason="Another case was first; choose another name.")
    first.fill_in(f"{case}edit/", namespace_identifier="example-oaks", syntax="Opaque.", submit="1")
    reviewer.fill_in(f"{case}approve/", rationale="Sound under this name, too.")
    assigner.fill_in(f"{case}assign/")
    anyone = Walker(Client())
    assert "other trees" in anyone.get("/namespaces/example-trees/").text
    assert anyone.get("/namespaces/example-oaks/").status == 200


def test_a_person_signs_in_and_starts_a_case(registrant: User) -> None:
    newcomer = Walker(Client())
    newcomer.get("/cases/new/")
    assert newcomer.path == "/accounts/login/"
    newcomer.sign_in(registrant.email, onward="/cases/new/")
    assert newcomer.path == "/cases/new/"
    newcomer.fill_in("/cases/new/", kind="informal")
    assert newcomer.path.endswith("/edit/")
