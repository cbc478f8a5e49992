"""What was mailed before SECRET_KEY was replaced works while the former key is in SECRET_KEY_FALLBACKS, and not after."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.mail.bounces import read_notification, record_bounce
from registry.mail.models import Message
from registry.mail.preferences import key_for
from tests.mail.test_bounces import a_notification, sent
from tests.support.browser import signed_in

pytestmark = pytest.mark.django_db
NEW_KEY = "new-0123456789-abcdefghijklmnopqrstuvwxyz-0123456789-abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(params=[True, False], ids=["former key kept", "former key removed"])
def rotate(request: pytest.FixtureRequest, settings: Any) -> Callable[[], bool]:
    """Replaces the key. Returns whether what was made with the former one is to work."""

    def replace() -> bool:
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY] if request.param else []
        settings.SECRET_KEY = NEW_KEY
        return bool(request.param)

    return replace


def test_a_link_that_stops_mails(rotate: Callable[[], bool], registrant: User, client: Client) -> None:
    link = f"/cases/unsubscribe/{key_for('followed', registrant)}/"
    works = rotate()
    assert (client.get(link).status_code == 200) is works


def test_a_link_that_confirms_an_address(
    rotate: Callable[[], bool], registrant: User, client: Client
) -> None:
    record_bounce(registrant.email, "550 5.1.1")
    address = registrant.emailaddress_set.get().pk  # type: ignore[attr-defined]
    signed_in(registrant).post(f"/account/addresses/{address}/check/")
    found = re.search(r"localhost:8000(/\S+)", Message.objects.get(name="check_address").body)
    assert found
    works = rotate()
    assert (client.get(found[1]).status_code == 200) is works


def test_a_notification_of_a_mail_that_came_back(rotate: Callable[[], bool]) -> None:
    message, text = sent()
    works = rotate()
    assert (read_notification(a_notification(text)) == message) is works
