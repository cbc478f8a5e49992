"""The size of a request by its address, and files, which no page takes."""

from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from django.core.files import uploadedfile
from django.test import Client
from django.urls import resolve

from registry.accounts.models import RoleName
from registry.api.cases.transitions import ACTION_VIEWS
from registry.core.http.capacity import BoundedApplication
from registry.core.http.request_limits import MULTIPART_TYPE
from registry.core.http.request_validation import FORM_TYPE
from registry.core.validators import MAX_FORM_LENGTH, BodySize
from registry.wsgi import django_application
from tests.contracts.test_url_table import Address, named_addresses
from tests.security.hostile_bodies import FILE, file_of
from tests.security.test_capacity import respond
from tests.security.test_slow_bodies import SilentClient, silent, with_body
from tests.support.factories import a_person

__all__ = ["silent"]  # a fixture
# The addresses that accept more than BodySize.SMALL. Written by hand.
ACCEPTED = {
    "cases:begin": BodySize.TEMPLATE,
    "cases:edit": BodySize.TEMPLATE,
    "cases:autosave": BodySize.TEMPLATE,
    "cases:paste": BodySize.TEMPLATE,
    "cases:comment": BodySize.TEXTS,
    "cases:transition": BodySize.TEXTS,
    "review_desk:transition": BodySize.TEXTS,
    "review_desk:verdict": BodySize.TEXTS,
    "review_desk:comment": BodySize.TEXTS,
    "review_desk:add_point": BodySize.TEXTS,
    "review_desk:staff_notes": BodySize.TEXTS,
    "review_desk:correct": BodySize.TEXTS,
    "review_desk:dismiss_finding": BodySize.TEXTS,
    "review_desk:checklist": BodySize.TEXTS,
    "review_desk:canned_text": BodySize.TEXTS,
    "review_desk:new_canned_text": BodySize.TEXTS,
    "namespaces:deprecate": BodySize.TEXTS,
    "namespaces:edit_profile": BodySize.TEXTS,
    "custody:claim_namespace": BodySize.TEXTS,
    "custody:recover_organisation": BodySize.TEXTS,
    "registers:open_register": BodySize.TEXTS,
    "registers:change_register": BodySize.TEXTS,
    "registers:open_branch": BodySize.TEXTS,
    "registers:declare_fields": BodySize.TEXTS,
    "registers:register_entry": BodySize.TEXTS,
    "registers:request_entry": BodySize.TEXTS,
    "registers:revise_request": BodySize.TEXTS,
    "registers:change_entry": BodySize.TEXTS,
    "registers:revise_change": BodySize.TEXTS,
    "registers:entry_request": BodySize.TEXTS,
    "registers:write_entries": BodySize.TEMPLATE,
    "resolution:confirm_host": BodySize.TEXTS,
    "resolution:withdraw_host": BodySize.TEXTS,
    "api:cases": BodySize.TEMPLATE,
    "api:draft": BodySize.TEMPLATE,
    "api:draft-file": BodySize.TEMPLATE,
    "api:check": BodySize.TEMPLATE,
    "api:comments": BodySize.TEXTS,
    "api:deprecate": BodySize.TEXTS,
    "api:namespace-profile": BodySize.TEXTS,
    "api:claim-namespace": BodySize.TEXTS,
    "api:register": BodySize.TEXTS,
    "api:change-register": BodySize.TEXTS,
    "api:fields-register": BodySize.TEXTS,
    "api:register-entries": BodySize.TEXTS,
    "api:entry-requests": BodySize.TEXTS,
    "api:revise-entry-request": BodySize.TEXTS,
    "api:change-entry": BodySize.TEXTS,
    "api:revise-change-entry-request": BodySize.TEXTS,
    "api:write-entries": BodySize.TEMPLATE,
    "api:comments-entry-request": BodySize.TEXTS,
    "api:ask-entry-request": BodySize.TEXTS,
    "api:check-urns": BodySize.URNS,
    "api:check-urns-file": BodySize.URNS,
    "api:resolve": BodySize.URNS,
    "api:resolve-file": BodySize.URNS,
    "subnamespaces:import": BodySize.TEXTS,
    "api:import-subnamespaces": BodySize.TEXTS,
}
# The actions of a case without a long text. The others accept BodySize.TEXTS.
SHORT_ACTIONS = {
    "submit",
    "recognise",
    "refuse-recognition",
    "request-completion",
    "invite-co-editor",
    "withdraw-invitation",
    "accept-invitation",
    "decline-invitation",
    "remove-co-editor",
}
LONG_ACTIONS = {f"api:{slug}" for slug in ACTION_VIEWS if slug not in SHORT_ACTIONS}
HERE = "http://testserver"


def is_page(at: Address) -> bool:
    return not at.name.startswith("api")


def accepted_by(at: Address) -> int:
    """The limit of an address: that of the table, or of an action of a case."""
    return ACCEPTED.get(at.name, BodySize.TEXTS if at.name in LONG_ACTIONS else BodySize.SMALL)


@pytest.mark.sampled(4, 1)
@pytest.mark.django_db
@pytest.mark.parametrize("at", named_addresses(), ids=lambda at: at.name)
def test_each_address_refuses_a_body_above_its_limit(at: Address, client: Client) -> None:
    limit = accepted_by(at)
    answer = client.post(at.path, b"x" * (limit + 1), content_type=FORM_TYPE)
    assert answer.status_code == 413
    assert f"the limit of this address is {limit:,}." in answer.text
    answer = client.post(at.path, b"x" * limit, content_type=FORM_TYPE)
    assert answer.status_code != 413 or "characters, in all fields together" in answer.text


def test_the_table_names_no_address_that_is_gone() -> None:
    assert ACCEPTED.keys() <= {at.name for at in named_addresses()}


@pytest.mark.parametrize("path", ["/cases/new/", "/accounts/login/", "/nothing-here/", "/api/v1/cases/"])
@pytest.mark.parametrize("media_type", [FILE, f" {FILE}", FILE.title()])
def test_a_form_with_files_is_not_received_if_it_is_long(
    silent: SilentClient, path: str, media_type: str
) -> None:
    """Only BodySize.SMALL is kept in memory; longer bodies would be written to a file."""
    sent = with_body(silent, BodySize.SMALL + 1, path) | {"CONTENT_TYPE": media_type}
    assert respond(BoundedApplication(django_application), sent)[0] == 413


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> list[str]:
    """The uploaded files that are stored, in memory or in a file."""
    stored: list[str] = []
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    for kind in (uploadedfile.TemporaryUploadedFile, uploadedfile.InMemoryUploadedFile):
        monkeypatch.setattr(kind, "__init__", lambda self, *_, **__: stored.append(type(self).__name__))
    return stored


@pytest.mark.django_db
def test_no_page_takes_files(stored: list[str]) -> None:
    """Whether or not the request has an origin: in turn, for the check of it comes before every page."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(a_person(email="everyone@example.org", roles=tuple(RoleName)))
    client.cookies["csrftoken"] = "a" * 32  # without it, the CSRF check does not read the form
    wrong = []
    for at, headers in zip(filter(is_page, named_addresses()), cycle(({}, {"Origin": HERE})), strict=False):
        expected = 415
        if at.name.startswith("resolution:") and not at.name.endswith("_host"):  # they take no POST
            expected = 405
        elif at.name == "cases:unsubscribe_by_mail":  # the key is wrong, so the body is not read
            expected = 404
        answer = client.post(at.path, file_of(1_000), content_type=FILE, headers=headers)
        says_so = "This page does not take files." in answer.text
        if answer.status_code != expected or says_so != (expected == 415) or stored:
            wrong.append((at.name, answer.status_code, *stored))
            stored.clear()
    assert not wrong


@pytest.mark.django_db
def test_a_view_that_reads_a_file_itself_refuses_it_too(client: Client, stored: list[str]) -> None:
    """Here the CSRF check has not read the form."""
    answer = client.post("/accounts/login/", file_of(1_000), content_type=FILE)
    assert (answer.status_code, stored) == (415, [])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "media_type"),
    [(file_of(1_000), FILE), (b"a=&" * 2_000, FORM_TYPE), (b"--b", f"{MULTIPART_TYPE}; boundary=b"), (b"", MULTIPART_TYPE)],
)  # fmt: skip
def test_a_form_to_a_missing_page_that_cannot_be_read_is_a_404(
    client: Client, body: bytes, media_type: str
) -> None:
    answer = client.generic("POST", "/nothing-here/", body, media_type, headers={"Origin": HERE})
    assert answer.status_code == 404


@pytest.mark.django_db
def test_a_form_without_files_is_still_read_as_multipart(client: Client) -> None:
    answer = client.post("/accounts/login/", {"login": "someone@example.org", "password": "x"})
    assert answer.status_code == 422
    assert "someone@example.org" in answer.text


@pytest.mark.django_db
def test_a_form_with_too_many_characters_is_refused(client: Client) -> None:
    path = "/cases/new/"
    assert resolve(path).func.max_body > MAX_FORM_LENGTH  # type: ignore[attr-defined]
    answer = client.post(path, b"template=" + b"x" * MAX_FORM_LENGTH, content_type=FORM_TYPE)
    assert answer.status_code == 413
    assert "in all fields together" in answer.text
    assert (
        client.post(path, b"template=" + b"x" * (MAX_FORM_LENGTH - 8), content_type=FORM_TYPE).status_code
        == 302
    )
