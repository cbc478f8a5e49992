"""Forms of other sites: every page checks that a form that changes something is its own (CSRF)."""

import pytest
from django.conf import settings
from django.test import Client

from registry.accounts.models import User
from registry.cases.models import Case
from tests.contracts.test_url_table import every_address
from tests.support.factories import a_draft

# The key in the address is the permission, or only GET is accepted.
EXEMPT = {
    "cases:unsubscribe_by_mail",
    "resolution:resolve",
    "resolution:uri_service",
    "resolution:without_service",
    "resolution:without_urn",
}


def test_no_other_view_is_exempt() -> None:
    """The API takes tokens; where it takes a session, it checks for itself (tests/api/account/test_tokens.py)."""
    exempt = {at.name for at in every_address() if getattr(at.pattern.callback, "csrf_exempt", False)}
    assert {name for name in exempt if not name.startswith("api:")} == EXEMPT
    assert "django.middleware.csrf.CsrfViewMiddleware" in settings.MIDDLEWARE


@pytest.mark.django_db
@pytest.mark.parametrize(
    "origin", [{}, {"Origin": "https://thief.example"}], ids=["no token", "another origin"]
)
def test_a_form_of_another_site_changes_nothing(registrant: User, origin: dict[str, str]) -> None:
    case = a_draft(by=registrant)
    client = Client(enforce_csrf_checks=True)
    client.force_login(registrant)
    if origin:
        client.cookies["csrftoken"] = "a" * 32
    typed = {"csrfmiddlewaretoken": "a" * 32} if origin else {}
    answer = client.post(
        f"/cases/{case.pk}/submit/", typed | {"draft_stamp": case.draft_stamp}, headers=origin
    )
    assert answer.status_code == 403
    assert not Case.objects.get(pk=case.pk).is_public
