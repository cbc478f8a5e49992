"""The time zone of a user for display."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.utils import timezone

from registry.accounts.models import User
from registry.cases.models import Case
from tests.support.factories import a_case_in_review

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
def case(registrant: User) -> Case:
    case = a_case_in_review(by=registrant)
    Case.objects.filter(pk=case.pk).update(state_since=NOON)
    return case


def test_saving_a_zone_redirects_to_next(expert: User, client: Client) -> None:
    client.force_login(expert)
    words = {"time_zone": "Europe/Berlin", "next": "/desk/"}
    assert client.post("/accounts/time-zone/", words).headers["Location"] == "/desk/"
    expert.refresh_from_db()
    assert expert.time_zone == "Europe/Berlin"


@pytest.mark.parametrize("address", ["https://example.net/", "//example.net", "javascript:alert(1)", ""])
def test_one_is_sent_nowhere_else(address: str, expert: User, client: Client) -> None:
    client.force_login(expert)
    answer = client.post("/accounts/time-zone/", {"time_zone": "UTC", "next": address})
    assert answer.headers["Location"] == "/mine/"


@pytest.mark.parametrize(
    "name", ["", "Europe/Berlin\n", "Europe/Börlin", "Europe/Berlinn", "../../etc/passwd", "EST"]
)
def test_an_unknown_time_zone_is_refused(name: str, expert: User, client: Client) -> None:
    client.force_login(expert)
    assert client.post("/accounts/time-zone/", {"time_zone": name}).status_code == 422
    expert.refresh_from_db()
    assert expert.time_zone == "UTC"


def test_anonymous_visitors_see_utc_and_users_their_zone(case: Case, expert: User, client: Client) -> None:
    assert "2026-01-15 12:00 UTC" in client.get(case.get_absolute_url()).content.decode()
    expert.time_zone = "Asia/Tokyo"
    expert.save()
    client.force_login(expert)
    assert "2026-01-15 21:00 JST" in client.get(case.get_absolute_url()).content.decode()
    assert timezone.get_current_timezone_name() == "UTC"
    client.logout()
    assert "2026-01-15 12:00 UTC" in client.get(case.get_absolute_url()).content.decode()


def test_programs_read_utc(case: Case, expert: User, client: Client) -> None:
    expert.time_zone = "Asia/Tokyo"
    expert.save()
    client.force_login(expert)
    assert client.get(f"/api/v1/cases/{case.pk}/").json()["state_since"] == "2026-01-15T12:00:00Z"


def test_an_unknown_zone_falls_back_to_utc(case: Case, expert: User, client: Client) -> None:
    User.objects.filter(pk=expert.pk).update(time_zone="Atlantis/Capital")
    client.force_login(expert)
    assert "2026-01-15 12:00 UTC" in client.get(case.get_absolute_url()).content.decode()
