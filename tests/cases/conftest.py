"""A draft, who writes it and what their page sends; and people whose accounts are committed, for threads and processes to see them."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.cases.models import Case
from registry.cases.workflow import functions
from tests.support.browser import fields_of, page, post_form, signed_in
from tests.support.factories import a_case_in_review, a_draft, a_person


@pytest.fixture
def draft(registrant: User) -> Case:
    return a_draft(by=registrant)


@pytest.fixture
def writer(registrant: User) -> Client:
    return signed_in(registrant)


@pytest.fixture
def sent_back(registrant: User, expert: User) -> Case:
    return functions.request_changes(
        a_case_in_review(by=registrant),
        by=expert,
        round_number=1,
        rationale="",
        action_points=[("syntax", "Say whether zeros lead.")],
    )


def opened(client: Client, case: Case, query: str = "") -> dict[str, str]:
    """What the page would send if nothing were changed."""
    return fields_of(client.get(page("edit", case.pk) + query), page("edit", case.pk))


def sent_by_itself(client: Client, case: Case, fields: dict[str, str], **typed: str) -> Any:
    address = page("autosave", case.pk)
    return post_form(client, address, fields | typed, headers={"HX-Request": "true"})


def reread(case: Case) -> Case:
    return Case.objects.get(pk=case.pk)


@pytest.fixture
def people(real_database: None) -> tuple[User, User, User]:
    """A registrant, an expert and an administrator."""
    return (
        a_person(email="registrant@example.org"),
        a_person(email="expert@example.org", roles=(RoleName.EXPERT,)),
        a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,)),
    )
