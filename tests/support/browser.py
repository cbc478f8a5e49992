"""A simulated browser for tests of pages: reads and submits forms with Django's test client."""

import html
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from registry.accounts.models import User
from registry.core.http.request_validation import FORM_TYPE
from registry.registration_template.formatting import format_template
from registry.registration_template.template import RegistrationTemplate
from tests.support.factories import PASSWORD


def page(name: str, *args: object) -> str:
    return reverse(f"cases:{name}", args=args)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


class _Fields(HTMLParser):
    """Collects the values that a browser would submit with the form whose action has a given ending."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action, self.values = action, dict[str, str]()
        self._inside, self._text_of, self._select, self._id = False, "", "", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        had = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = had.get("method") == "post" and had.get("action", self.action) == self.action
            self._id = had.get("id", "") if self._inside else self._id
        # A field outside a form may name it.
        belongs = had["form"] == self._id if "form" in had else self._inside
        if not belongs or tag not in {"input", "textarea", "select", "option"}:
            return
        if tag == "option":
            if "selected" in had:
                self.values[self._select] = had["value"]
        elif tag == "select":
            self._select = had["name"]
        elif tag == "textarea":
            self._text_of = had["name"]
            self.values[self._text_of] = ""
        elif "name" in had and (had.get("type") not in {"checkbox", "radio"} or "checked" in had):
            self.values[had["name"]] = had.get("value", "")

    def handle_data(self, data: str) -> None:
        if self._text_of:
            self.values[self._text_of] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._text_of:
            # HTML parsers drop a line break directly after the start tag.
            self.values[self._text_of] = self.values[self._text_of].removeprefix("\n").strip("\r")
            self._text_of = ""
        elif tag == "form":
            self._inside = False


def fields_of(answer: Any, action: str) -> dict[str, str]:
    """Return the values that the unchanged form on a page would submit."""
    fields = _Fields(action)
    fields.feed(answer.text)
    assert "csrfmiddlewaretoken" in fields.values, f"no form posts to {action}"
    return fields.values


def fill_in(client: Client, address: str, **typed: str) -> Any:
    """Open the page, change the `typed` fields, submit its form and follow redirects."""
    opened = client.get(address)
    assert opened.status_code == 200, opened.status_code
    return post_form(client, address, fields_of(opened, address) | typed, follow=True)


def queries_of(client: Client, address: str) -> int:
    """How many queries a page that is found takes."""
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200
    return len(asked)


def submit_draft(client: Client, address: str, **typed: str) -> Any:
    """Fill in the form of a draft, continue to the submission, and confirm it unless the draft is incomplete."""
    answer = fill_in(client, address, submit="1", **typed)
    confirmation = answer.request["PATH_INFO"]
    return fill_in(client, confirmation) if confirmation.endswith("/submit/") else answer


def post_form(client: Client, address: str, fields: Mapping[str, object], **options: Any) -> Any:
    """Send a form as browsers do. Django's client would send it as multipart/form-data."""
    return client.post(address, urlencode(fields), content_type=FORM_TYPE, **options)


class Walker:
    """A signed-in user who goes from page to page; keeps the last response."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.answer: Any = None

    @property
    def text(self) -> str:
        return html.unescape(self.answer.text)

    @property
    def status(self) -> int:
        return int(self.answer.status_code)

    @property
    def path(self) -> str:
        return str(self.answer.request["PATH_INFO"])

    def field(self, name: str) -> str:
        return fields_of(self.answer, self.path)[name]

    def get(self, address: str) -> "Walker":
        self.answer = self.client.get(address, follow=True)
        return self

    def fill_in(self, address: str, **typed: str) -> "Walker":
        """Open a page, change the `typed` fields of its form, and submit it. A submission is confirmed."""
        opened = self.get(address).answer
        assert self.status == 200, f"{address}: {self.status}"
        self.answer = post_form(self.client, address, fields_of(opened, address) | typed, follow=True)
        return self.fill_in(self.path) if "submit" in typed and self.path.endswith("/submit/") else self

    def sign_in(self, email: str, *, onward: str) -> None:
        typed = {"login": email, "password": PASSWORD, "next": onward}
        self.answer = self.client.post(reverse("account_login"), typed, follow=True)

    def begin(self, template: RegistrationTemplate, **how: str) -> None:
        """Create a draft with a template pasted into it."""
        self.fill_in("/cases/new/", template=format_template(template), **how)
        assert self.path.endswith("/edit/"), self.text

    def submit(self, template: RegistrationTemplate, *, standards_action: str = "", **how: str) -> str:
        """Create and submit a case; return the URL of its page."""
        self.begin(template, **how)
        chosen = {"standards_action": standards_action} if standards_action else {}
        self.fill_in(self.path, submit="1", **chosen)
        assert "/edit/" not in self.path, self.text
        return self.path

    def register(self, template: RegistrationTemplate, *, reviewer: "Walker", assigner: "Walker") -> None:
        case = self.submit(template)
        reviewer.fill_in(f"{case}approve/", rationale="Sound.")
        assigner.fill_in(f"{case}assign/")


def walker(user: User) -> Walker:
    return Walker(signed_in(user))
