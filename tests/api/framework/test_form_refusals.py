"""A program that sends the form of a page, and prefers JSON, is told why the form was refused, as by the API."""

import pytest
from django.forms import CharField, Form

from registry.accounts.models import User
from registry.core.form_views import FormInvalid
from registry.core.validators import MAX_LISTED
from tests.api.client import check_problem
from tests.support.browser import signed_in
from tests.support.factories import an_approved_case

pytestmark = pytest.mark.django_db
FOR_PROGRAMS = {"accept": "application/json"}


def test_the_errors_of_a_form_are_named(registrant: User) -> None:
    answer = signed_in(registrant).post("/organisations/new/", {"homepage": "x y"}, headers=FOR_PROGRAMS)
    problem = check_problem(answer, 422, "form-invalid")
    assert problem["title"] == "The form was not accepted"
    assert problem["errors"] == [
        {"field": "name", "detail": "This field is required."},
        {"field": "homepage", "detail": "Enter a valid URL."},
    ]


def test_a_view_of_django_allauth_names_the_errors(registrant: User) -> None:
    answer = signed_in(registrant).post("/account/sessions/", {"session": "none"}, headers=FOR_PROGRAMS)
    problem = check_problem(answer, 422, "form-invalid")
    assert [each["field"] for each in problem["errors"]] == ["session"]


def test_the_rule_that_an_action_breaks_is_named(registrant: User, expert: User, administrator: User) -> None:
    case = an_approved_case(by=registrant, expert=expert)
    path = f"/cases/{case.pk}/assign/"
    answer = signed_in(administrator).post(path, {"round_number": "2"}, headers=FOR_PROGRAMS)
    check_problem(answer, 409, "stale-round", "You have read round 2, but round 1 is the latest.")


def test_the_number_of_errors_is_limited_and_fields_have_the_names_that_are_sent() -> None:
    fields = {f"field{number}": CharField() for number in range(MAX_LISTED + 1)}
    form = type("LongForm", (Form,), fields)({}, prefix="row")
    errors = FormInvalid(form).members["errors"]
    assert [each["field"] for each in errors] == [f"row-field{number}" for number in range(MAX_LISTED)]
