"""Every page shows why a form was refused, and keeps what was typed.

The forms are those of all pages that people reach, so a new page with a form is tested, too. Each form is sent with each of
its buttons: with errors that its validation is made to find, and with refusals that the action is made to raise.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin

import pytest
from allauth.account.forms import UserTokenForm
from django.core.cache import cache
from django.db import connection, transaction
from django.forms import BaseForm
from django.forms.formsets import ManagementForm
from django.views.generic import FormView

from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.form_views import MIN_LENGTH, FormInvalid
from registry.core.rate_limits import HOUR, Allowance, LimitExceeded, Policy
from registry.core.validators import TextRefused, TextTooLong
from registry.registers.fields import MAX_DECLARED
from registry.registration_template.formatting import format_template
from tests.contracts.test_url_table import every_address
from tests.journeys.addresses import is_a_page
from tests.journeys.crawler import A_REGISTRANT, PEOPLE, Walk, client_of, place_of
from tests.journeys.filled_forms import FilledForm, filled_forms
from tests.support.factories import a_template

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("demonstration")]
# What is typed where a view accepts no other text: by view and field.
TYPED: dict[str, dict[str, str]] = {
    "cases:begin": {"template": ""},
    "cases:paste": {"template": format_template(a_template())},
    "namespaces:deprecate": {"successor": ""},
    "people:grant_role": {"user": "participant@example.org"},
    # Those that are declared are removed, one text is added, and the other rows are empty.
    "registers:declare_fields": {"fields-0-label": "", "fields-1-label": "", "fields-2-choices": ""}
    | {f"fields-{row}-{name}": "" for row in range(3, MAX_DECLARED) for name in ("label", "help", "choices")},
    "review_desk:body": {"representative": ""},
    "subnamespaces:import": {"document": '{"prefix": "aq", "title": "The Antarctic"}'},
}
# Buttons that change the form that is shown, and save nothing.
ONLY_SHOW = {"insert", "point", "more", "take", "discard", "difference"}
# Views that accept a form that no page shows to people of the walk.
NOT_REACHED = {
    "account:sessions": "the sessions of the walk are not recorded",
    "account_confirm_email": "a session that signed up sends it",
    "account_email_verification_sent": "shows no form",
    "account_set_password": "each account of the walk has a password",
    "cases:draft_version": "the draft of the walk has one text",
    "mfa_add_webauthn": "a script sends it",
    "mfa_authenticate": "the password was not just given",
    "mfa_login_webauthn": "a script sends it",
    "openid_connect_login": "there is no provider",
    "openid_connect_callback": "a provider sends it",
    "socialaccount_connections": "there is no provider",
    "socialaccount_signup": "no provider just signed in a newcomer without an address",
}
# Views whose page has no fields when it shows the errors.
WITHOUT_FIELDS = {"account_reset_password_from_key": "a session without the mailed link sends it"}
# Views that write nothing that the registry could refuse.
SAVE_NOTHING = {"account_logout": "ends the session", "cases:paste": "fills in the form of the draft"}
SQL_THAT_WRITES = re.compile(r"SAVEPOINT|INSERT|UPDATE|DELETE")
KEPT_BY_DJANGO = re.compile("django_session|core_cache|usersessions")
OF_A_LIMIT = LimitExceeded(Allowance(Policy("tests", 1, HOUR), 2, 1800), "for each test")
REFUSALS = (
    RegistryError("It is <refused> by this test."),
    TextTooLong("The text is <refused> by this test."),
    OF_A_LIMIT,
    NotPermitted("It is <not permitted> by this test."),
)


@dataclass(frozen=True, slots=True)
class Submission:
    """A form of a page as one person sends it with one button, or as htmx sends it."""

    view: str
    path: str
    person: str
    form: FilledForm
    button: tuple[str, str] = ("", "")
    is_part: bool = False

    def __str__(self) -> str:
        how = "in the background" if self.is_part else "=".join(self.button)
        return f"{self.view} {self.path} {how} ({self.person or 'a stranger'})"

    def values(self, **how: str) -> dict[str, list[str]]:
        name, value = self.button
        pressed = {name: [value]} if name else {}
        return self.form.values(TYPED.get(self.view, {}), **how) | pressed

    def send(self, values: dict[str, list[str]]) -> Any:
        """The response. Changes are rolled back."""
        return self.send_and_follow(values, follows=False)[0]

    def send_and_follow(self, values: dict[str, list[str]], *, follows: bool = True) -> tuple[Any, Any]:
        """The response, and the page to which it redirects, None without a redirect. Changes are rolled back."""
        headers = {"origin": "http://testserver"} | ({"HX-Request": "true"} if self.is_part else {})
        with transaction.atomic():
            client = client_of(self.person)
            answer = client.post(self.path, values, headers=headers)
            is_followed = follows and answer.status_code == HTTPStatus.FOUND
            following = client.get(answer["Location"].partition("#")[0]) if is_followed else None
            transaction.set_rollback(True)
        cache.clear()  # attempts
        return answer, following


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(A_REGISTRANT, id="registrant", marks=pytest.mark.default_only),
        pytest.param(PEOPLE, id="all", marks=[pytest.mark.exhaustive, pytest.mark.everyone]),
    ],
)
def visited(request: pytest.FixtureRequest, visited_by: Any) -> Iterator[Walk]:
    with visited_by(request.param) as visited:
        yield visited


@pytest.fixture(scope="module")
def submissions(visited: Walk) -> list[Submission]:
    """One for each view, and for each action, button and kind of response of it."""
    found: dict[tuple[object, ...], Submission] = {}
    for page in visited.pages:
        if page.status != 200 or page.view.startswith("admin:"):
            continue
        for form in filled_forms(page.html):
            for each in _ways_to_send(page.path, page.person, form):
                kind = (
                    *place_of(each.path),
                    each.is_part,
                    each.button[0],
                    each.button[1] if each.button[0] in {"decision", "action"} else "",
                )
                found.setdefault(kind, each)
    return list(found.values())


def _ways_to_send(page: str, person: str, form: FilledForm) -> Iterator[Submission]:
    path = urljoin(page, form.action)
    for button in form.buttons:
        if button[0] not in ONLY_SHOW:
            yield Submission(place_of(path)[0], path, person, form, button)
    if form.part_of:
        yield Submission(place_of(form.part_of)[0], form.part_of, person, form, is_part=True)


def words(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def faults_of(
    each: Submission, answer: Any, status: int, shown: Iterable[str], typed: Iterable[str]
) -> list[str]:
    page = words(unescape(answer.text))
    faults = [f"status {answer.status_code}"] if answer.status_code != status else []
    faults += [f"does not show “{text}”" for text in shown if words(text) not in page]
    if not each.is_part:  # such a response has no fields
        faults += [f"lost “{text[:60]}”" for text in typed if words(text) not in page]
        ids = set(re.findall(r'\bid="([^"]+)"', answer.text))
        links = dict.fromkeys(re.findall(r'href="#([^"]+)"', answer.text))
        missing = [link for link in links if link not in ids and each.view not in WITHOUT_FIELDS]
        faults += [f"links to “#{link}”, which it does not have" for link in missing]
    return [f"{each}: {fault}" for fault in faults]


@contextmanager
def invalid_forms() -> Iterator[list[tuple[str | None, str]]]:
    """Each form that is validated finds an error of its own and one in each field: pairs of field and message."""
    errors: list[tuple[str | None, str]] = []
    clean = BaseForm._clean_form  # type: ignore[attr-defined]

    def refuse(form: BaseForm) -> None:
        clean(form)
        for name in (None, *form.fields) if not isinstance(form, ManagementForm | UserTokenForm) else ():
            errors.append((name, f"Refused: {type(form).__name__}, {form.prefix}, {name}."))
            form.add_error(*errors[-1])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseForm, "_clean_form", refuse)
        yield errors


@contextmanager
def refused_actions(refusal: RegistryError) -> Iterator[list[str]]:
    """The statements with which a view would write raise `refusal`, and are listed."""
    refused: list[str] = []

    def refuse(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        is_change = SQL_THAT_WRITES.match(str(sql).lstrip()) and not KEPT_BY_DJANGO.search(str(sql))
        if is_change and _is_from_a_view():
            refused.append(str(sql))
            raise refusal
        if refused:
            connection.needs_rollback = False  # no statement failed in the database
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        yield refused


def _is_from_a_view() -> bool:
    """Whether code of the registry asked for it, not middleware or the test."""
    frame = sys._getframe(2)
    while frame and frame.f_back:
        module = frame.f_globals["__name__"]
        if module.startswith(("registry.", "django.core.handlers", "tests.")) and module != __name__:
            return bool(module.startswith("registry."))
        frame = frame.f_back
    return False


def test_errors_of_every_form_are_shown(submissions: list[Submission]) -> None:
    """Those of the form itself, those of fields that the page shows, and those of fields that it does not show."""
    faults, validated = [], 0
    for each in submissions:
        sent = each.values(suffix=" 7391")
        with invalid_forms() as errors:
            answer = each.send(sent)
        if not errors:
            continue  # the view reads no form
        validated += 1
        shown = [text for name, text in errors if name is None or not each.is_part]
        faults += faults_of(each, answer, FormInvalid.status, shown, each.form.texts(sent))
    assert faults == []
    assert validated > 20


# One refusal on the pages of one person. On the pages of everyone, one of every form, and each of the others of every third.
@pytest.mark.parametrize(
    ("visited", "refusal"),
    [
        pytest.param(A_REGISTRANT, OF_A_LIMIT, marks=pytest.mark.default_only),
        *(
            pytest.param(PEOPLE, each, marks=[pytest.mark.exhaustive, pytest.mark.everyone])
            for each in REFUSALS
        ),
    ],
    indirect=["visited"],
    ids=lambda each: type(each).__name__ if isinstance(each, RegistryError) else f"{len(each)} people",
)
def test_refusals_of_every_action_are_shown(
    visited: Walk, submissions: list[Submission], refusal: RegistryError
) -> None:
    faults, unrefused = [], set()
    others = REFUSALS[1:]
    is_of_all = refusal not in others or len(visited.people) == 1
    for each in submissions if is_of_all else submissions[others.index(refusal) :: len(others)]:
        sent = each.values()
        with refused_actions(refusal) as refused:
            answer = each.send(sent)
        if not refused:
            unrefused.add(each.view)
            continue
        shown, typed = [str(refusal)], each.form.texts(sent)
        if not each.is_part:
            # A refused text is shown at its field, as an error of the form.
            is_error = isinstance(refusal, TextRefused) and FormInvalid.title in answer.text
            shown.append(FormInvalid.title if is_error else refusal.title)
        if isinstance(refusal, LimitExceeded) and not each.is_part:
            shown.append("The limit ends at")
        if isinstance(refusal, NotPermitted):
            typed = [text for text in typed if len(text) >= MIN_LENGTH]  # the page recovers longer texts
        faults += faults_of(each, answer, refusal.status, shown, typed)
    assert faults == []
    assert unrefused <= set(SAVE_NOTHING)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "visited", [pytest.param(PEOPLE, id="all", marks=pytest.mark.everyone)], indirect=True
)
def test_every_view_that_accepts_a_form_is_tested(submissions: list[Submission]) -> None:
    administrator = client_of("administrator")
    accepting = set()
    for at in every_address():
        if is_a_page(at) and not at.name.startswith(("admin:", "api:")):
            answer = administrator.put(at.path)
            is_form = hasattr(getattr(at.pattern.callback, "view_class", FormView), "post")
            if is_form and answer.status_code == 405 and "POST" in answer["Allow"]:
                accepting.add(at.name)
    assert accepting - {each.view for each in submissions} == set(NOT_REACHED)
