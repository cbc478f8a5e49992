"""Generated requests, bent now and then towards what would be granted, so that they get past the door."""

from collections import Counter, defaultdict
from contextlib import closing
from functools import cache
from random import Random
from typing import Any

import schemathesis
import yaml
from schemathesis import Case
from schemathesis.core import NOT_SET
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase
from schemathesis.specs.openapi.checks import ignored_auth

from registry.accounts.models import Scope
from registry.api.schema import COMMITTED
from registry.appendix_a.formatting import format_text
from registry.appendix_a.submission import Submission
from registry.wsgi import application
from tests.api.described import type_of, types_of
from tests.api.grants import CAST, Grant, Scene

# Members that name somebody, or something, that has to be there.
NAMES = frozenset({"email", "to", "successor"})
BODY, HEADER = ParameterLocation.BODY, ParameterLocation.HEADER
PATH, QUERY = ParameterLocation.PATH, ParameterLocation.QUERY


def strict(schema: Any) -> Any:
    """The description as a promise: an object has the members that are written there, and no others."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    return closed | {name: strict(each) for name, each in schema.items()}


def description() -> Any:
    """The committed one. A problem has its type's members besides its own, so problems stay open."""
    committed = yaml.load(COMMITTED.read_bytes(), yaml.CSafeLoader)
    shapes = committed["components"]["schemas"]
    committed["components"]["schemas"] = {
        name: shape if name.endswith("Problem") else strict(shape) for name, shape in shapes.items()
    }
    return committed


def app(environ: Any, start_response: Any) -> list[bytes]:
    """The registry, asked by a client on this machine that reads plain answers, each to its end."""
    environ = {name: value for name, value in environ.items() if name != "HTTP_ACCEPT_ENCODING"}
    response = application({**environ, "REMOTE_ADDR": "127.0.0.1"}, start_response)
    with closing(response):
        return [b"".join(response)]


def described() -> Any:
    schema = schemathesis.openapi.from_dict(description())
    schema.app = app
    # Too much at once is refused by a word of its own.
    refused = schema.config.checks.negative_data_rejection
    refused.expected_statuses = [*refused.expected_statuses, "413"]
    # What is well formed can still say nothing, or what is over: of a round, or a draft, that there is not.
    taken = schema.config.checks.positive_data_acceptance
    taken.expected_statuses = [*taken.expected_statuses, "412", "422", "428"]
    return schema


@schemathesis.deserializer("application/yaml")
def read_yaml(_ctx: Any, response: Any) -> Any:
    return _read_once(response.content)


@cache
def _read_once(text: bytes) -> Any:
    return yaml.load(text, yaml.CSafeLoader)


class Explorer:
    """Bends generated requests towards what would be granted, and counts what was answered."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.answered: dict[str, Counter[int]] = defaultdict(Counter)

    def ask(self, case: Case) -> None:
        headers = self.bend(case)
        # One answer to somebody who may is tried again for somebody who may not; that is two requests more.
        tried = [] if self.not_granted(operation_of(case)) else [ignored_auth]
        response = case.call(headers=headers)
        self.count(response, case)
        checks = {"additional_checks": [its_type_is_described], "excluded_checks": tried}
        case.validate_response(response, headers=headers, **checks)

    def count(self, response: Any, case: Case) -> None:
        """Write the answer down, unless something else was asked than the operation."""
        if case.method.lower() == case.operation.method.lower():
            self.answered[operation_of(case)][response.status_code] += 1

    @property
    def asked(self) -> int:
        return sum(counter.total() for counter in self.answered.values())

    def report(self) -> str:
        """How often each operation was asked, and what it answered."""
        lines = [f"{self.asked} requests"]
        for name, counter in sorted(self.answered.items()):
            counts = ", ".join(f"{status}: {times}" for status, times in sorted(counter.items()))
            lines.append(f"{name}: {counts}")
        return "\n".join(lines)

    def bend(self, case: Case) -> dict[str, str]:
        """Put some of a grant into the request, wherever it was not made wrong on purpose; who asks, as headers."""
        # The same request is always bent alike, so that a fault can be found again.
        sent = (case.method, case.path_parameters, case.query, case.headers, case.body)
        chance = Random(repr(sent))
        is_linked = case.meta is not None and case.meta.phase.name == TestPhase.STATEFUL
        where = case.path_parameters if is_linked and chance.random() < 0.5 else None
        grant = self.scene.grant(operation_of(case), chance, where)
        wholly = chance.random() < 0.3 or bool(self.not_granted(operation_of(case)))
        for bend, location in (
            (_bend_path, PATH),
            (_bend_query, QUERY),
            (_bend_headers, HEADER),
            (_bend_body, BODY),
        ):
            if not (case.meta and case.meta.is_negative_at(location)):
                bend(case, grant, chance, wholly=wholly)
        if case.operation.schema.is_security_param_negated(case):
            return {}
        _heed_what_is_said_in_words(case)
        return self._credentials(grant, chance, wholly=wholly)

    def _credentials(self, grant: Grant, chance: Random, *, wholly: bool) -> dict[str, str]:
        drawn = 0.0 if wholly else chance.random()
        if drawn < 0.75:
            return self.scene.credentials(grant.by)
        if drawn < 0.85:
            return self.scene.credentials(grant.by, chance.choice(list(Scope)))
        if drawn < 0.95:
            return self.scene.credentials(chance.choice(list(CAST)))
        return {"Authorization": f"Bearer urnreg_{'0' * 64}"} if drawn < 0.975 else {}

    def not_granted(self, *expected: str) -> list[str]:
        """The operations that never answered 2xx, though they were expected to."""
        return sorted(
            name for name in expected if not any(200 <= status < 300 for status in self.answered[name])
        )


def operation_of(case: Case) -> str:
    return str(case.operation.definition.raw["operationId"])


def _bend_path(case: Case, grant: Grant, chance: Random, *, wholly: bool) -> None:
    for name in case.path_parameters:
        if name in grant.where and (wholly or chance.random() < 0.8):
            case.path_parameters[name] = grant.where[name]


def _bend_query(case: Case, grant: Grant, chance: Random, *, wholly: bool) -> None:
    if wholly or chance.random() < 0.3:
        case.query.update(grant.query)


def _bend_headers(case: Case, grant: Grant, chance: Random, *, wholly: bool) -> None:
    if wholly:
        for name in set(case.headers) - {"Authorization"}:
            del case.headers[name]
    if wholly or chance.random() < 0.7:
        case.headers.update(grant.headers)
    elif "Idempotency-Key" in case.headers and chance.random() < 0.2:
        case.headers["Idempotency-Key"] = "one"
    elif "If-None-Match" in case.headers and chance.random() < 0.3:
        case.headers["If-None-Match"] = "*"


def _bend_body(case: Case, grant: Grant, chance: Random, *, wholly: bool) -> None:
    if grant.body is None:
        return
    if case.media_type == "text/plain":
        if wholly or chance.random() < 0.5:
            case.body = _as_text(grant.body)
    elif wholly or case.body is NOT_SET:
        case.body = grant.body
    elif isinstance(case.body, dict):
        given = {name for name in grant.body if chance.random() < 0.7}
        given |= NAMES & case.body.keys()
        case.body = case.body | {name: value for name, value in grant.body.items() if name in given}


def _heed_what_is_said_in_words(case: Case) -> None:
    """A template comes as text or as sections, and the fast track is for bodies: no schema says so."""
    if operation_of(case) == "begin" and isinstance(case.body, dict) and not case.meta.is_negative_at(BODY):
        if case.body.get("template"):
            case.body.pop("sections", None)
        if case.body.get("procedure") == "fast_track":
            case.body["body"] = "Example Body New"


def _as_text(body: dict[str, Any]) -> str:
    return (
        format_text(Submission.from_json(body["sections"]))
        if "sections" in body
        else "\n".join(body.get("urns", []))
    )


def its_type_is_described(_ctx: Any, response: Any, case: Case) -> None:
    """A problem is of one of the types that the operation's description names for that status."""
    media_type = (response.headers.get("content-type") or [""])[0]
    if media_type.startswith("application/problem") and response.status_code != 405:
        expected = types_of(case.operation.definition.raw, response.status_code)
        assert type_of(response.json()) in expected, (operation_of(case), response.json())
