"""A profile on its way over HTTP alone, without JavaScript: from the text of a draft to the page of the namespace."""

import pytest
from django.test import Client

from registry.accounts.models import User
from tests.namespaces.proposals.samples import ABNF, SERVICES
from tests.support.browser import Walker, walker
from tests.support.factories import a_template

ADDRESS = "https://gardens.example/trees/4711?garden=12"
NAMES = "As in urn:example-trees:12:4711, urn:example-trees:1:1 and urn:example-trees:99:4."


@pytest.mark.exhaustive
def test_a_proposed_profile_is_stated_reviewed_confirmed_and_revised(
    registrant: User, expert: User, administrator: User
) -> None:
    author, reviewer, assigner = walker(registrant), walker(expert), walker(administrator)
    anyone = Walker(Client())

    author.begin(a_template(syntax=f"{ABNF}\n\n{NAMES}"))
    case = author.path.removesuffix("edit/")
    author.fill_in(f"{case}edit/", prefill="1")
    assert author.field("profile_abnf").replace("\r", "") == ABNF
    author.fill_in(f"{case}edit/", profile_title="Trees", profile_abnf="tree = 1*ALPHA", submit="1")
    assert author.status == 422
    assert "forbids “urn:example-trees:12:4711”" in author.text
    author.fill_in(f"{case}edit/", profile_abnf=ABNF, profile_services="I2C gardens.example {nss}", save="1")
    assert "Line 1, column 1 of the template: The scheme is not https." in author.text
    assert author.field("profile_services") == "I2C gardens.example {nss}"
    author.fill_in(f"{case}edit/", profile_services=SERVICES, save="1")
    assert ADDRESS in author.text
    author.fill_in(f"{case}edit/", profile_title="Trees of gardens", submit="1")
    assert author.path == case
    assert "Trees of gardens" in anyone.get(case).text
    posted = anyone.get(f"{case}rounds/1/template.txt")
    assert (posted.status, "Trees of gardens" in posted.text) == (200, False)

    reviewer.get(f"/desk{case}")
    assert "Trees of gardens" in reviewer.text
    assert ADDRESS in reviewer.text
    reviewer.fill_in(f"{case}approve/", rationale="The grammar fits the text.")
    assigner.fill_in(f"{case}assign/", profile_title="Trees of botanical gardens")
    assert "Choose one to three subjects" in assigner.text
    assert assigner.field("profile_title") == "Trees of botanical gardens"
    assigner.fill_in(f"{case}assign/", profile_title="Trees of botanical gardens", profile_subjects="science")
    assert "Registered." in assigner.text

    shown = anyone.get("/namespaces/example-trees/profile/").text
    assert "Trees of botanical gardens" in shown
    assert "Page of the tree" in anyone.get("/namespaces/example-trees/").text
    assert anyone.get("/resolve/urn:example-trees:12:4711").status == 300
    assigner.fill_in(
        "/namespaces/example-trees/hosts/gardens.example/confirm/", basis="administrator", evidence="A call."
    )
    assert anyone.client.get("/resolve/urn:example-trees:12:4711")["Location"] == ADDRESS
    assert "confirmed with changes at the registration of version 1" in shown
    assert ABNF in shown

    author.fill_in("/namespaces/example-trees/revise/")
    revision = author.path.removesuffix("edit/")
    assert author.field("profile_title") == ""
    assert "Trees of botanical gardens</pre>" in author.text
    author.fill_in(
        f"{revision}edit/",
        revision_information="The title is shorter.",
        date="2027-01-05",
        profile_title="Trees",
        submit="1",
    )
    reviewer.fill_in(f"{revision}approve/", rationale="Shorter is better.")
    differences = assigner.get(f"{revision}assign/").text.partition("Differences from the")[2]
    assert "<del>" in differences.partition("</details>")[0]
    assigner.fill_in(f"{revision}assign/")
    profile = anyone.get("/api/v1/namespaces/example-trees/").answer.json()["profile"]
    assert (profile["version"], profile["title"]) == (2, "Trees")
