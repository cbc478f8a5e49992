"""Who may take which action: the same people by function, on the page and in the API.

The tables are written by hand, independently of the declarations; that of the transitions of a case is
`tests/cases/workflow/matrix.py`. A line has the action, its gravity, and the people who may take it on a subject on which it
is open: all others are refused on every channel, and nothing changes. Those after “for the registry:” act in a role.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import get_resolver

from registry.accounts import sessions
from registry.accounts.gravity import Gravity
from registry.accounts.models import Scope, User
from registry.accounts.recent_sign_in import SESSION_KEY
from registry.actions.declarations import Action
from registry.actions.parameters import AddressPart
from registry.cases.workflow.declarations.transitions import ALL_ACTIONS
from registry.core.exceptions import NotPermitted, RegistryError
from registry.review_desk.experts.actions import NotAssigned
from tests.actions import scenes
from tests.actions.scenes import ATTEMPTS, Attempt, Scene, case_action
from tests.api.client import TokenClient
from tests.cases.workflow.matrix import COMMUNITY, FOR_THE_REGISTRANT, ORGANISATION, has_role, rows
from tests.security.test_gravity import scopes_by_action
from tests.support.browser import post_form

ON_A_CASE = """
anticipate_standards_action | decision | experts
require_two_experts         | decision | experts
recuse                      | decision | staff
invite_co_editor            | control  | registrant
withdraw_invitation         | control  | registrant
accept_invitation           | ordinary | invited
decline_invitation          | ordinary | invited
remove_co_editor            | control  | registrant, co-editor with every role
dismiss_finding             | decision | experts
comment                     | ordinary | registrant, others
take_case                   | ordinary | experts
hand_over_case              | ordinary | reviewer, leader
release_case                | ordinary | reviewer, leader
add_note                    | ordinary | staff
correct of a case           | decision | administrator
"""
ON_A_NAMESPACE = """
deprecate                  | decision | administrators
set_profile                | decision | administrators
import_subnamespaces       | decision | administrators
offer_transfer             | control  | registrant
accept_transfer            | control  | recipient
decline_transfer           | control  | recipient
withdraw_transfer          | control  | registrant
change_contact             | control  | registrant, for the registry: administrators
confirm_contact            | ordinary | registrant, for the registry: administrators
claim_namespace            | control  | others
withdraw_claim             | control  | claimant
announce_claim             | decision | other administrators
decline_claim              | decision | other administrators
approve_claim              | decision | other administrators
object_to_claim            | control  | registrant
open_register              | control  | registrant
change_register            | control  | registrant
declare_fields             | control  | registrant
suspend_register           | decision | administrators
resume_register            | decision | administrators
register_entry             | ordinary | registrant
write_entries              | control  | registrant
request_entry              | ordinary | registrant, others
comment_on_request         | ordinary | registrant, participant
accept_request             | control  | registrant
ask_for_changes            | ordinary | registrant
refuse_request             | control  | registrant
revise_request             | ordinary | participant
withdraw_request           | ordinary | participant
change_entry               | control  | registrant
revise_change              | control  | participant
offer_entry                | control  | registrant
accept_entry               | control  | recipient
decline_entry              | control  | recipient
withdraw_offer             | control  | registrant
open_branch                | control  | registrant
recall_entry               | control  | registrant
keep_entry                 | control  | participant
confirm_host               | decision | administrators
withdraw_host              | decision | administrators
correct                    | decision | administrators
"""
# The registrant of another namespace has no interest in this one.
ON_AN_IMPORT = """\
offer_transfer of an import | control  | for the registry: administrators, registrant
approve_claim of an import | decision | other administrators, registrant
"""
ON_AN_ORGANISATION = """\
name_reviewer                     | control  | representative
remove_reviewer                   | control  | representative
describe_organisation             | control  | representative
invite_member                     | control  | representative
accept_membership                 | control  | recipient
decline_membership                | control  | recipient
withdraw_membership_invitation    | control  | representative
change_part                       | control  | representative
remove_member                     | control  | representative, editor
leave_organisation                | control  | editor
add_domain                        | control  | representative
request_check                     | ordinary | representative
remove_domain                     | control  | representative
move_to_organisation              | control  | representative
recover_organisation              | control  | others
decline_claim for an organisation | decision | administrators
"""
IN_THE_REGISTRY = """
create_organisation   | ordinary | others
report_sighting       | ordinary | others
confirm_sighting      | decision | administrators
decline_sighting      | decision | administrators
remove_sighting       | decision | administrators, owner
create_webhook        | control  | others
change_webhook        | control  | owner
challenge_webhook     | ordinary | owner
pause_webhook         | ordinary | owner
resume_webhook        | ordinary | owner
rotate_webhook_secret | control  | owner
test_webhook          | ordinary | owner
replay_webhook        | ordinary | owner
delete_webhook        | ordinary | owner
add_absence           | ordinary | staff, owner
add_canned_text       | ordinary | experts, leader, owner
change_canned_text    | ordinary | experts, leader, owner
remove_canned_text    | ordinary | experts, leader, owner
retry_mail            | ordinary | administrators, owner
discard_mail          | ordinary | administrators, owner
recognise_body        | decision | liaison, owner
refuse_body           | decision | liaison, owner
withdraw_recognition  | decision | liaison, owner
"""
# They can't sign in.
OUTSIDE = {"stranger", "closed"}
# The words of the tables, besides the people of the scenes.
WORDS = {
    "experts": {"expert", "reviewer"},
    "staff": {"expert", "reviewer", "leader", "administrator", "liaison"},
    # Those with the role and without an interest. A person who left an organisation before a claim was made has none.
    "administrators": {"administrator", "claimant", "former member"},
    "other administrators": {"administrator", "former member"},
}
# People who have the permission, and are refused for what concerns only them.
OTHER_REFUSALS: dict[tuple[str, str], type[RegistryError]] = {
    ("hand_over_case", "expert"): NotAssigned,
    ("release_case", "expert"): NotAssigned,
}


@dataclass(frozen=True)
class Line:
    """A line of a table: `who` may. Those of `in_role` act for the registry, with a scope of its own."""

    action: str
    gravity: Gravity
    who: frozenset[str]
    in_role: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Table:
    """The lines for the people of a scene. `registrant` are the people whom the lines call so."""

    scene: Callable[[], Scene]
    text: str
    registrant: tuple[str, ...] = ()
    # The transitions of a case.
    matrix: str = ""

    @property
    def names(self) -> list[str]:
        open_ones = [
            name
            for name, (_, cells) in rows(self.matrix).items()
            # A case of a person is put into the procedure in which the transition is open.
            if self.matrix == COMMUNITY or "yes" in cells.values()
        ]
        return open_ones + [line.partition("|")[0].strip() for line in self.text.strip().splitlines()]

    def line(self, name: str, scene: Scene) -> Line:
        if name in rows(self.matrix):
            role, _ = rows(self.matrix)[name]
            gravity = Gravity.ORDINARY if role in FOR_THE_REGISTRANT else Gravity.DECISION
            return Line(name, gravity, frozenset(each for each in scene.people if has_role(each, role)))
        (line,) = (line for line in self.text.strip().splitlines() if line.partition("|")[0].strip() == name)
        _, gravity_name, who = (cell.strip() for cell in line.split("|"))
        for_themselves, _, for_the_registry = who.partition("for the registry: ")
        in_role = self._people(for_the_registry, scene)
        everyone = self._people(for_themselves, scene) | in_role
        return Line(name.partition(" ")[0], Gravity[gravity_name.upper()], everyone, in_role)

    def _people(self, words: str, scene: Scene) -> frozenset[str]:
        others = scene.people.keys() - OUTSIDE - set(self.registrant)
        known = {**WORDS, "others": others, "registrant": set(self.registrant)}
        named = {each for word in words.split(", ") if word for each in known.get(word, {word})}
        return frozenset(named & scene.people.keys())


REPRESENTATIVES = ("representative", "representative with every role")
TABLES = {
    "case": Table(scenes.case_of_a_person, ON_A_CASE, ("registrant",), COMMUNITY),
    "case of an organisation": Table(
        scenes.case_of_an_organisation, ON_A_CASE, REPRESENTATIVES, ORGANISATION
    ),
    "namespace": Table(scenes.namespace_of_a_person, ON_A_NAMESPACE + ON_AN_IMPORT, ("registrant",)),
    "organisation": Table(
        scenes.organisation_with_a_namespace, ON_A_NAMESPACE + ON_AN_ORGANISATION, REPRESENTATIVES
    ),
    "registry": Table(scenes.registry_itself, IN_THE_REGISTRY),
}


def declared_actions() -> dict[str, Action[Any]]:
    """All actions that modules of the registry declare, by their names."""
    assert get_resolver().url_patterns  # this imports them
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("registry.")]
    found = dict[str, Action[Any]]()
    for each in (value for module in modules for value in vars(module).values()):
        if isinstance(each, Action):
            assert found.setdefault(each.name, each) is each, f"Two actions are named {each.name}."
    return found


ACTIONS = declared_actions()
CASE_ACTIONS = {each.name: each for each in ALL_ACTIONS}
WITH_ENDPOINT = scopes_by_action().keys()


def test_every_action_has_a_line() -> None:
    lines = {name for table in TABLES.values() for name in table.names}
    tried = {name.partition(" ")[0] for name in lines}
    assert len(ACTIONS) > 70
    assert not ACTIONS.keys() - tried, "Say in a table of this file who may take these actions."
    assert not tried - ACTIONS.keys(), "These actions are gone: remove their lines."
    assert not lines - ATTEMPTS.keys() - CASE_ACTIONS.keys(), "Say in ATTEMPTS how these are tried."


# What every request changes, done or refused: counters of limits, sessions, and when a token was last used.
ALWAYS_WRITTEN = ("core_counter", "django_session", "accounts_token", "core_cache")
WRITE = ("INSERT", "UPDATE", "DELETE", "SELECT procrastinate")


@contextmanager
def changes() -> Iterator[list[str]]:
    """The statements inside that change something."""
    found = list[str]()

    def note(execute: Callable[..., Any], sql: Any, *arguments: Any) -> Any:
        statement = str(sql)[:200]
        if statement.startswith(WRITE) and not any(table in statement[:90] for table in ALWAYS_WRITTEN):
            found.append(statement)
        return execute(sql, *arguments)

    with connection.execute_wrapper(note):
        yield found


@dataclass
class Trial:
    """The attempts of people at one action, each undone before the next. `wrong` has what is not as the line says."""

    scene: Scene
    line: Line
    attempt: Attempt
    wrong: list[str] = field(default_factory=list)

    @property
    def action(self) -> Action[Any]:
        return ACTIONS[self.line.action]

    def expect(self, what: str, found: object, expected: object) -> None:
        if found != expected:
            self.wrong.append(f"{self.line.action}, {what}: {found}, not {expected}")

    def undone(self, what: str, attempt: Callable[[], str], expected: str) -> None:
        """Try something. If and only if it is done, something has changed."""
        with transaction.atomic():
            with changes() as found:
                outcome = attempt()
            transaction.set_rollback(True)
        self.expect(what, outcome, expected)
        self.expect(f"{what}, {outcome}, changed {found}", bool(found), outcome == "done")

    def refusal_of(self, name: str) -> type[RegistryError]:
        return OTHER_REFUSALS.get((self.line.action, name), NotPermitted)

    def check_declaration(self) -> None:
        """The gravity of the action, and to whom it permits it, of those who can sign in."""
        self.expect("gravity", self.action.gravity, self.line.gravity)
        for name in self.scene.people.keys() - OUTSIDE:
            person, may = self.scene[name], name in self.line.who
            subject = self.attempt.subject or person
            permitted = may or (self.line.action, name) in OTHER_REFUSALS
            self.expect(f"permission of {name}", bool(self.action.permission(person, subject)), permitted)
            in_role = may and self.action.acts_in_role(person, subject)
            self.expect(f"{name} acts for the registry", in_role, name in self.line.in_role)

    def by_function(self, *people: str) -> None:
        for name in people:
            if name != "stranger":  # no function is called without a person
                expected = "done" if name in self.line.who else self.refusal_of(name).__name__
                self.undone(f"{name}, by function", partial(self._call, name), expected)

    def by_request(self, *people: str) -> None:
        """By page, with its form, and by API."""
        self.expect("has an endpoint", bool(self.attempt.api), self.action in WITH_ENDPOINT)
        for name in people:
            may, outside = name in self.line.who, name in OUTSIDE
            expected = "done" if may else "sign-in" if outside else "refused"
            if self.attempt.page is not None:
                self.undone(f"{name}, by page", partial(self._post, name), expected)
                self._open(name)
            if self.attempt.api and name != "stranger":
                self.undone(
                    f"{name}, by API", partial(self._request, name, self.scene.programs[name]), expected
                )
        # Of what guards an action, only whether it is done in a role hangs on the person.
        for alike in (self.line.who - self.line.in_role, self.line.in_role):
            for name in [each for each in people if each in alike][:1]:
                self.check_guards(name)

    def check_guards(self, name: str) -> None:
        """A page asks for a recent sign-in, and a token needs a scope, by the gravity of the action."""
        gravity = self.line.gravity
        if self.attempt.page is not None:
            with an_old_session(self.scene.browsers[name]):
                expected = "done" if gravity is Gravity.ORDINARY else "password"
                self.undone(f"{name}, by page, after 16 minutes", partial(self._post, name), expected)
        if self.attempt.api:
            needed = [gravity.scope, *([Scope.DECIDE] if name in self.line.in_role else [])]
            for scope in needed:
                program = TokenClient(self._afresh(name), *(each for each in Scope if each is not scope))
                ask = partial(self._request, name, program)
                self.undone(f"{name}, by API without {scope}", ask, f"needs {scope}")
            program = TokenClient(self._afresh(name), *needed)
            self.undone(f"{name}, by API with {needed}", partial(self._request, name, program), "done")

    def _afresh(self, name: str) -> User:
        return User.objects.get(pk=self.scene[name].pk)

    def _call(self, name: str) -> str:
        try:
            self.action.function(self.attempt.subject, by=self.scene[name], **self.attempt.arguments)
        except RegistryError as refusal:
            return type(refusal).__name__
        return "done"

    def _post(self, name: str) -> str:
        browser = self.scene.browsers[name]
        return self._outcome(name, post_form(browser, self.attempt.page_address, self._form))

    @property
    def _form(self) -> dict[str, Any]:
        fields = [each for each in self.action.parameters if not isinstance(each, AddressPart)]
        given = {each.field_name: self.attempt.arguments.get(each.argument) for each in fields}
        # True is the first of two radio buttons.
        typed = {name: "yes" if value is True else value for name, value in given.items()}
        return {name: value for name, value in typed.items() if value not in (None, [])} | self.attempt.form

    def _open(self, name: str) -> None:
        """The page has the button or the first field, for those who may. Some actions have only a button elsewhere."""
        with changes() as found:
            page = self.scene.browsers[name].get(self.attempt.page_address)
        self.expect(f"opening the page by {name}", found, [])
        if page.status_code == 405 or (self.line.action, name) in OTHER_REFUSALS:
            return
        decision, fields = self.attempt.form.get("decision"), [*self._form, "csrfmiddlewaretoken"]
        mark = f'value="{decision}"' if decision else f'name="{fields[0]}"'
        offered = page.status_code == 200 and mark in page.text
        self.expect(f"offered to {name}", offered, name in self.line.who)

    def _request(self, name: str, program: TokenClient) -> str:
        given = {each.member: self.attempt.arguments.get(each.argument) for each in self.action.parameters}
        sent = {key: value for key, value in given.items() if value is not None or key == "profile"}
        method = self.attempt.api.partition(" ")[0]
        body = None if method == "delete" else sent if self.attempt.body is None else self.attempt.body
        return self._outcome(name, program.ask(method, self.attempt.api_address, body))

    def _outcome(self, name: str, answer: Any) -> str:
        status, is_problem = answer.status_code, "problem+json" in answer.headers.get("Content-Type", "")
        if status == 401 or (status == 302 and answer["Location"].startswith("/accounts/login/")):
            return "sign-in"
        if status in {200, 201, 204, 302}:
            return "done"
        if status == 403 and is_problem and "scope" in answer.json():
            return f"needs {answer.json()['scope']}"
        if status == 403 and "Confirm your password" in answer.text:
            return "password"
        if status in {404, self.refusal_of(name).status} or "conflict of interest" in answer.text:
            return "refused"
        return f"{status} {answer.text}"


@contextmanager
def an_old_session(browser: Client) -> Iterator[None]:
    session = browser.session
    signed_in_at = session[SESSION_KEY]
    for at in (signed_in_at - 16 * 60, signed_in_at):
        session[SESSION_KEY] = at
        session.save()
        if at != signed_in_at:
            yield


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest, db: None, settings: Any) -> Table:
    settings.API_WRITES_A_MINUTE = settings.API_READS_A_MINUTE = 100_000
    settings.ACTIONS_AN_HOUR = dict.fromkeys(settings.ACTIONS_AN_HOUR, 100_000)
    return TABLES[request.param]


@contextmanager
def a_trial(table: Table, scene: Scene, name: str) -> Iterator[Trial]:
    """Inside, there is a subject on which the action is open."""
    with transaction.atomic():
        attempt = (ATTEMPTS.get(name) or case_action(CASE_ACTIONS[name]))(scene)
        yield Trial(scene, table.line(name, scene), attempt)
        transaction.set_rollback(True)


@pytest.mark.sampled(2)
def test_an_action_is_open_to_the_people_of_its_line(table: Table) -> None:
    """Each action by its permission; a few on every channel, for one person who may and one who may not."""
    scene, wrong = table.scene(), list[str]()
    for number, name in enumerate(table.names):
        people = some_people(table.line(name, scene), scene) if number % 12 == 5 else ()
        scene.sign_in(*people)
        with a_trial(table, scene, name) as trial:
            trial.check_declaration()
            trial.by_function(*people)
            trial.by_request(*people)
        wrong += trial.wrong
    assert not wrong, "\n".join(wrong)


def some_people(line: Line, scene: Scene) -> tuple[str, str]:
    """One who may, and one who may not."""
    inside = [each for each in scene.people if each not in OUTSIDE]
    others = (each for each in (*inside, "closed") if each not in line.who)
    return next(each for each in inside if each in line.who), next(others)


def people_in_turn(line: Line, scene: Scene, number: int) -> list[str]:
    """One who may, one who may in a role, and two who may not, others for each number: pages and API ask the function."""
    refused = frozenset(scene.people.keys() - line.who)
    groups = (line.who - line.in_role, line.in_role, refused & OUTSIDE, refused - OUTSIDE)
    ordered = ([each for each in scene.people if each in group] for group in groups)
    return [names[number % len(names)] for names in ordered if names]


@pytest.mark.exhaustive
def test_every_person_is_treated_the_same_everywhere(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    # It takes minutes, and noting again that a session is in use would be a write.
    monkeypatch.setattr(sessions, "NOTED_EVERY", timedelta(days=1))
    scene, wrong = table.scene(), list[str]()
    scene.sign_in(*scene.people)
    for number, name in enumerate(table.names):
        with a_trial(table, scene, name) as trial:
            trial.by_function(*scene.people)
            trial.by_request(*people_in_turn(trial.line, scene, number))
        wrong += trial.wrong
    assert not wrong, "\n".join(wrong)
