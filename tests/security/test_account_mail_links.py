"""Links in mails about accounts start with PUBLIC_ORIGIN, for any Host header."""

import re
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.mail.models import Message
from tests.support.factories import PASSWORD

pytestmark = pytest.mark.django_db


def test_the_host_of_the_request_is_in_no_mail(registrant: User, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    settings.PUBLIC_ORIGIN = "https://registry.example.org"
    client = Client(headers={"host": "attacker.example"})
    for email in ("newcomer@example.org", registrant.email):
        typed = {"email": email, "password1": PASSWORD, "password2": PASSWORD, "next": "/mine/"}
        client.post("/accounts/signup/", typed)
    for email in (registrant.email, "nobody@example.org"):
        client.post("/accounts/password/reset/", {"email": email})
    bodies = [message.body for message in Message.objects.all()]
    assert len(bodies) == 4
    links = [link for body in bodies for link in re.findall(r"https?://\S+", body)]
    assert len(links) == 4
    assert all(link.startswith("https://registry.example.org/accounts/") for link in links)
    assert not any("attacker" in body for body in bodies)
