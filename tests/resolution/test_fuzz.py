"""Hostile requests to the fast redirect, to the whole application as deployed, and to Django alone.

No name redirects to another host or adds a header, and the three give the same responses. The applications run in the
process of the test, with all that `registry.wsgi` puts around Django.
"""

import json
import logging
import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connections

import registry.wsgi
from registry.accounts.models import RoleName
from registry.core.database.prepared_reader import PreparedReader
from registry.core.http.fast_path import FastPaths
from registry.observability import access_log
from registry.resolution.actions import confirm_host
from registry.resolution.fast_path import redirect
from registry.resolution.models import Basis
from registry.resolution.namespace_data import OF_ONE_NID
from tests.resolution.conftest import (
    a_namespace_with,
    a_profile_with,
    a_service,
    fixture_profiles,
)
from tests.resolution.hostile_requests import (
    DESCRIPTIONS,
    F_MARK,
    Q_MARK,
    R_MARK,
    Hostile,
    hostile_requests,
)
from tests.resolution.requests import Answered
from tests.support.databases import a_fresh_database
from tests.support.factories import a_person
from tests.urnsyntax.profiles.services.hostile import check_address
from urnsyntax.profiles import Profile, Service

# How many requests, and of how many one is also compared with Django's response.
SAMPLE = (2_500, 2)
MILLION = [(10_000, 10)] * 100
REFUSED = {300, 400, 404, 422}
HEADERS = {
    "Access-Control-Allow-Origin", "Cache-Control", "Content-Length", "Content-Security-Policy", "Content-Type",
    "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "ETag", "Link", "Location", "Permissions-Policy",
    "Referrer-Policy", "Vary", "X-Content-Type-Options", "X-Frame-Options",
}  # fmt: skip
# Each is in at least one of fifty redirected requests.
IN_REDIRECTED = (
    "%2F..", "//", "@", ":80", "%5C", "%0D%0A", "%0d%0aLocation", "%00", "%C3%A9", "%E4%B8%AD", "%EF%BC%8F", "%C0%AF",
    "%252E", "javascript:", "https://evil.example", "&admin=1", R_MARK, Q_MARK, F_MARK,
)  # fmt: skip


def loose_profile(nid: str, *templates: str, **changes: Any) -> Profile:
    """A profile whose services accept all names."""
    services = [
        a_service(
            template,
            priority=priority,
            passes_q="{q}" in template,
            examples=[f"urn:{nid}:a", f"urn:{nid}:12/b?=c=1"],
            **changes,
        )
        for priority, template in enumerate(templates)
    ]
    return a_profile_with(*services, nid=nid, unstated="Every name is allowed.", examples=("a",))


LOOSE = (
    loose_profile("example-path", "https://path.example/a/{+nss}"),
    loose_profile("example-query", "https://query.example/a?name={nss}&{q}", r_components=["s", R_MARK]),
    loose_profile("example-passed", "https://passed.example/{nss:lower}/b/?{q}"),
    # Only the host of the last ones is confirmed, which does not cover another port.
    loose_profile(
        "example-confirmed",
        "https://unconfirmed.example/{+nss}",
        "https://confirmed.example:8443/{+nss}",
        "https://confirmed.example/{+nss:path}?{q}",
    ),
)


def leading_services(profile: Profile) -> list[Service]:
    """The services that lead to the name. The others have one address for all names, and get no redirect."""
    return [each for each in profile.services if not each.is_for_all_names]


PROFILES = tuple(each for each in (*fixture_profiles(), *LOOSE) if leading_services(each))
UNCONFIRMED = "unconfirmed.example"


class Applications:
    """The three applications on one database, and the log of the deployed one."""

    def __init__(self) -> None:
        self.reader = PreparedReader(OF_ONE_NID)
        self.fast = FastPaths(self._behind, {"resolution:resolve": partial(redirect, self.reader)})
        self.whole = registry.wsgi.application
        self.django = registry.wsgi.django_application
        self.fast_redirects = 0
        self.log = b""

    def check(self, sent: Hostile, *, with_django: bool) -> Answered:
        """The response of the whole application. If the fast redirect answers, all responses are equal."""
        whole = Answered(self.whole, "", **sent.environ())
        whole.headers = [each for each in whole.headers if each[0] not in ("X-Request-ID", "Server")]
        fast = Answered(self.fast, "", **sent.environ())
        if fast.status != PASSED_ON:
            self.fast_redirects += 1
            assert vars(fast) == vars(whole), sent
            assert not with_django or vars(fast) == vars(Answered(self.django, "", **sent.environ())), sent
        return whole

    def _behind(self, environ: Any, start_response: Any) -> Any:
        """Django, until its headers of a redirect are known."""
        return (_passed_on if self.fast._added else self.django)(environ, start_response)

    def add_to_log(self, octets: bytes) -> None:
        self.log += octets

    def logged(self) -> list[dict[str, Any]]:
        """All lines of the log since the last call."""
        self.whole.writer.flush()
        lines, self.log = self.log.split(b"\n"), b""
        assert lines.pop() == b""
        return [json.loads(line) for line in lines]


PASSED_ON = ""


def _passed_on(_environ: Any, start_response: Any) -> list[bytes]:
    start_response(PASSED_ON, [])
    return []


@pytest.fixture(scope="module")
def applications(the_test_database: None, django_db_blocker: Any) -> Iterator[Applications]:
    applications = Applications()
    with (
        django_db_blocker.unblock(),
        a_fresh_database(),
        pytest.MonkeyPatch.context() as patch,
    ):
        administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
        for profile in PROFILES:
            namespace = a_namespace_with(profile)
            for host in confirmed_hosts(profile):
                confirm_host(namespace, by=administrator, host=host, basis=Basis.DNS, evidence="A record.")
        patch.setattr(access_log, "_write", applications.add_to_log)
        patch.setattr(logging.getLogger("django.request"), "disabled", True)  # pytest keeps all records
        yield applications
        applications.whole.writer.flush()
        applications.reader.close()
        registry.wsgi.reader.close()
        connections.close_all()


def confirmed_hosts(profile: Profile) -> set[str]:
    return {each.host for each in profile.services} - {UNCONFIRMED}


def requests_for_all(count: int, seed: int) -> Iterator[tuple[Profile, Hostile]]:
    """Requests for the names of each profile; more of those that can be anything, since they redirect."""
    profiles = (*PROFILES, *LOOSE * 2)
    each = -(-count // len(profiles))
    every = (
        (profile, sent)
        for number, profile in enumerate(profiles)
        for sent in hostile_requests(profile, each, random.Random(f"{seed} {number}"))
    )
    return islice(every, count)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "count", "compared"),
    [
        pytest.param(0, *SAMPLE, marks=pytest.mark.exhaustive),
        *(pytest.param(n, *each, marks=pytest.mark.soak) for n, each in enumerate(MILLION, 1)),
    ],
)
def test_no_request_redirects_elsewhere_or_adds_a_header(
    applications: Applications, record_property: Any, seed: int, count: int, compared: int
) -> None:
    statuses: list[int] = []
    applications.fast_redirects = 0
    redirected: Counter[str] = Counter()
    pieces: Counter[str] = Counter()
    for number, (profile, sent) in enumerate(requests_for_all(count, seed)):
        answered = applications.check(sent, with_django=number % compared == 0)
        statuses.append(check_status_and_headers(answered, sent))
        if statuses[-1] == 303:
            check_redirect(answered, sent, profile)
            redirected[profile.nid] += 1
            pieces.update(each for each in IN_REDIRECTED if each in sent.urn)
            pieces["long"] += len(sent.urn) > 2_000
    assert [each["status"] for each in applications.logged()] == statuses
    record_property("redirected", redirected.total())
    record_property("refused", count - redirected.total())
    assert len(statuses) == count
    assert redirected.total() > count / 2
    assert applications.fast_redirects > redirected.total() * 0.8
    assert all(redirected[each.nid] >= len(leading_services(each)) for each in PROFILES), redirected
    assert all(pieces[each] > redirected.total() / 50 for each in (*IN_REDIRECTED, "long")), pieces


def check_status_and_headers(answered: Answered, sent: Hostile) -> int:
    """Assert that both are documented, and that no header contains more than a line of visible ASCII."""
    status = int(answered.status[:3])
    assert status in REFUSED | ({200} if sent.accept in DESCRIPTIONS else {303}), sent
    names = [name for name, _ in answered.headers]
    assert len(names) == len(set(names)), sent
    assert HEADERS.issuperset(names), sent
    assert ("Location" in names) == (status == 303), sent
    for _, value in answered.headers:
        assert value.isascii(), sent
        assert value.isprintable(), sent
        # The f-component is the fragment of the address (RFC 8141, Section 2.3.3), which no client sends.
        assert F_MARK not in value.partition("#")[0], sent
    return status


def check_redirect(answered: Answered, sent: Hostile, profile: Profile) -> None:
    """Assert that the address is one of a service of the namespace on a confirmed host, with nothing but name and q."""
    location = dict(answered.headers)["Location"]
    assert answered.body == f"{location}\n".encode()
    address, _, _ = location.partition("#")
    assert sent.urn.lower().startswith(f"urn:{profile.nid}:"), sent
    assert urlsplit(address).netloc in confirmed_hosts(profile), sent
    literals = {each.template.partition("{")[0].rstrip("?&"): each for each in profile.services}
    service = literals[max((each for each in literals if address.startswith(each)), key=len)]
    check_address(service.address_template, address, sent.q_component)
    passed = sent.q_component if service.passes_q else ""
    assert all(mark in passed for mark in (R_MARK, Q_MARK, F_MARK) if mark in address), sent
