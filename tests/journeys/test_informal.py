"""An informal namespace after IANA's registry was imported: the next number is 9."""

from django.core.management import call_command
from django.test import Client

from registry.accounts.models import User
from registry.devserver.demonstration import FIXTURES
from registry.publication.iana.fixtures import IANA_FIXTURE
from tests.support.browser import Walker, walker
from tests.support.factories import a_template

OPAQUE = "Names are opaque. No meaning is defined for r-, q- and f-components."


def test_the_next_informal_namespace_is_urn_9(registrant: User, expert: User, administrator: User) -> None:
    call_command("import_iana", FIXTURES / IANA_FIXTURE)
    author, reviewer, assigner = walker(registrant), walker(expert), walker(administrator)
    anyone = Walker(Client())
    assert anyone.get("/namespaces/urn-8/").status == 200
    assert anyone.get("/namespaces/urn-9/").status == 404

    case = author.submit(a_template(namespace_identifier="", syntax=OPAQUE), kind="informal")
    reviewer.fill_in(f"{case}approve/", rationale="Useful, and a number is enough.")
    assigner.get(f"{case}assign/")
    assert "Registers urn-9, version 1" in assigner.text
    assigner.fill_in(f"{case}assign/")

    assert "Example Arboretum" in anyone.get("/namespaces/urn-9/").text
    assert anyone.get("/api/v1/namespaces/URN-9/").answer.json()["kind"] == "informal"
    assert 'href="/namespaces/urn-9/"' in anyone.get(case).text
