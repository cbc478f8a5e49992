"""The web server killed at random under a load of cases: what it answered is there, and nothing is between."""

import http.client
import os
import random
import signal
import time
from threading import Timer
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from registry.accounts import recent_sign_in
from registry.accounts.models import RoleName, User
from registry.namespaces.models import Kind
from tests.cases.workflow.test_kills import check_that_all_is_there
from tests.support.factories import a_draft, a_person
from tests.support.servers import a_free_port, serving

pytestmark = pytest.mark.usefixtures("real_database")
CSRF_TOKEN = "t" * 32
CASES_A_LIFE = 12

# verb, who makes the move, and what its form sends
LOAD = [
    ("submit", "registrant", {"draft_stamp": "0"}),
    ("approve", "expert", {"round_number": "1", "rationale": "Sound."}),
    ("assign", "administrator", {"round_number": "1"}),
]


def session_of(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session[recent_sign_in.SESSION_KEY] = time.time()
    session.create()
    return str(session.session_key)


def post(port: int, session: str, path: str, typed: dict[str, str]) -> int:
    """The status of the answer. Raises OSError where the server is gone."""
    body = urlencode(typed | {"csrfmiddlewaretoken": CSRF_TOKEN})
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": f"sessionid={session}; csrftoken={CSRF_TOKEN}",
    }
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        client.request("POST", path, body, headers)
        return client.getresponse().status
    except http.client.HTTPException as error:
        raise ConnectionResetError from error
    finally:
        client.close()


def check_a_server_that_is_killed(kills: int, seed: int) -> None:
    chance = random.Random(seed)
    people = {
        "registrant": a_person(email="registrant@example.org"),
        "expert": a_person(email="expert@example.org", roles=(RoleName.EXPERT,)),
        "administrator": a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,)),
    }
    sessions = {name: session_of(person) for name, person in people.items()}
    port, acknowledged = a_free_port(), []
    for _ in range(kills):
        drafts = [a_draft(by=people["registrant"], kind=Kind.INFORMAL) for _ in range(CASES_A_LIFE)]
        with serving(port) as server:
            killer = Timer(chance.uniform(0.05, 1), os.killpg, (server.pid, signal.SIGKILL))
            killer.start()
            for case in drafts:
                for verb, who, typed in LOAD:
                    try:
                        status = post(port, sessions[who], f"/cases/{case.pk}/{verb}/", typed)
                    except OSError:
                        break
                    assert status == 302, (verb, status)
                    acknowledged.append((case.pk, verb))
            killer.join(60)
    check_that_all_is_there(acknowledged)


@pytest.mark.exhaustive
def test_confirmed_changes_survive_a_kill_of_the_server() -> None:
    check_a_server_that_is_killed(2, seed=8141)


@pytest.mark.soak
def test_confirmed_changes_survive_a_hundred_kills_of_the_server() -> None:
    check_a_server_that_is_killed(100, seed=2141)
