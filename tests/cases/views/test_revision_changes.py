"""A revision is shown against the registered version on every page where it is read or decided."""

import re

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.namespaces.models import Namespace
from tests.cases.transitions.rounds import a_revision_in_review, next_round
from tests.support.browser import signed_in
from tests.support.factories import a_case_in_review, a_namespace, an_imported_namespace

pytestmark = pytest.mark.django_db
TITLE = "Changes to the registered version 1"


@pytest.fixture
def namespace(registrant: User, expert: User, administrator: User) -> Namespace:
    return a_namespace(by=registrant, expert=expert, administrator=administrator)


@pytest.fixture
def revision(namespace: Namespace, registrant: User) -> Case:
    return a_revision_in_review(namespace, by=registrant, resolution="Resolution stops.")


def text_of(page: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def test_the_case_page_shows_the_difference(revision: Case, expert: User) -> None:
    text = text_of(signed_in(expert).get(revision.get_absolute_url()).text)
    assert TITLE in text
    shown = text.partition(TITLE)[2].partition("Round 1 ")[0]
    changed, _, unchanged = shown.partition("Unchanged: ")
    assert "stops" in changed
    assert "Syntax" not in changed
    assert "Syntax" in unchanged


def test_the_page_of_the_namespace_links_to_the_revision_while_it_is_open(
    revision: Case, namespace: Namespace, expert: User
) -> None:
    link = f'<a href="{revision.get_absolute_url()}">Case {revision.pk}: revision of this namespace</a>'
    assert link in Client().get(namespace.get_absolute_url()).text
    functions.decline(revision, by=expert, round_number=1, reason="Names would end.")
    assert link not in Client().get(namespace.get_absolute_url()).text


def test_the_page_of_the_namespace_does_not_tell_of_a_draft(namespace: Namespace, registrant: User) -> None:
    drafts.start_revision(namespace, by=registrant)
    assert "revision of this namespace" not in Client().get(namespace.get_absolute_url()).text


def test_the_review_page_shows_it_in_its_section_in_every_round(revision: Case, expert: User) -> None:
    client = signed_in(expert)
    page = client.get(f"/desk/cases/{revision.pk}/").text
    assert f'{TITLE}: <a href="#section-version">Version</a>' in page
    resolution = page.partition('id="section-resolution"')[2].partition("</section>")[0]
    assert "Changed from the registered version 1" in resolution
    next_round(revision, version=2, revision_information="Hyphens.", resolution="Resolution stops.")
    page = client.get(f"/desk/cases/{revision.pk}/").text
    resolution = page.partition('id="section-resolution"')[2].partition("</section>")[0]
    assert "Changed from the registered version 1" in resolution
    assert "Changed since round 1" not in resolution


def test_the_administrator_sees_it_before_and_after_the_assignment(
    revision: Case, namespace: Namespace, expert: User, administrator: User
) -> None:
    functions.approve(revision, by=expert, round_number=1, rationale="Sound.")
    client = signed_in(administrator)
    for address in ("/desk/assignments/", f"/cases/{revision.pk}/assign/"):
        assert TITLE in client.get(address).text
    functions.assign(Case.objects.get(pk=revision.pk), by=administrator, round_number=1)
    assert TITLE in client.get(revision.get_absolute_url()).text


def test_a_new_namespace_and_one_without_a_text_have_no_difference(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    imported = an_imported_namespace("example-imported", registrant=registrant)
    revised = a_revision_in_review(imported, by=registrant, namespace_identifier="example-imported")
    for each in (case, revised):
        assert "registered version" not in signed_in(expert).get(f"/desk/cases/{each.pk}/").text
