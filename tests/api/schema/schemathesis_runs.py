"""schemathesis sent out to a running registry, with tokens of people who may do what it tries."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from registry.accounts.models import RoleName, Scope, User
from registry.accounts.tokens import make_token
from registry.cases import permissions
from registry.cases.workflow.declarations.transitions import ALL_ACTIONS
from tests.api.schema_checks import described_operations, described_type, description
from tests.support.browser import signed_in
from tests.support.factories import a_person, a_template

HOOKS = Path(__file__).with_name("schemathesis_hooks.py")
# The person for each transition that needs a role; the registrant makes all others.
BY_ROLE = {
    permissions.is_expert: "expert",
    permissions.is_administrator: "administrator",
    permissions.is_liaison: "liaison",
    permissions.is_invited: "co-editor",
    # A person without any other part.
    permissions.has_any_role: "other-expert",
}
ROLES = {
    "registrant": (),
    "heir": (),
    "co-editor": (),
    "expert": (RoleName.EXPERT,),
    "other-expert": (RoleName.EXPERT,),
    "administrator": (RoleName.ADMINISTRATOR,),
    "liaison": (RoleName.LIAISON,),
}
ASKED_BY = {
    action.operation_id: BY_ROLE[action.permission] for action in ALL_ACTIONS if action.permission in BY_ROLE
} | {
    "deprecateNamespace": "administrator",
    "setNamespaceRules": "administrator",
    "acceptTransfer": "heir",
    "declineTransfer": "heir",
    "claimNamespace": "heir",
    "withdrawClaim": "heir",
    "approveClaim": "administrator",
    "announceClaim": "administrator",
    "declineClaim": "administrator",
}
ADVISED = {"section": "resolution", "code": "placeholder"}


def strict(schema: Any) -> Any:
    """The description as a promise: an object has the members that are written there, and no others."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if described_type(schema):  # its members are those of both parts
        return schema | {"unevaluatedProperties": False}
    closed = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    return closed | {name: strict(each) for name, each in schema.items()}


def promised() -> Any:
    """The committed description. Problem types add members to `Problem`, so that stays open."""
    parts = description()["components"]
    shapes = {name: shape if name == "Problem" else strict(shape) for name, shape in parts["schemas"].items()}
    return description() | {"components": parts | {"schemas": shapes}}


def cast() -> dict[str, User]:
    return {name: a_person(email=f"{name}@example.org", roles=roles) for name, roles in ROLES.items()}


def granted(people: dict[str, User]) -> list[dict[str, Any]]:
    """The header Authorization for each operation that needs a token, or the cookies of a session."""
    tokens = {
        name: make_token(by=who, name="Explorer", scopes=tuple(Scope))[1] for name, who in people.items()
    }
    session = in_a_session()
    return [
        {"include-operation-id": name}
        | (
            session
            if "session" in described["security"][0]
            else {"headers": {"Authorization": f"Bearer {tokens[ASKED_BY.get(name, 'registrant')]}"}}
        )
        for name, (_, _, described) in described_operations().items()
        if described["security"] != [{}]
    ]


def in_a_session() -> dict[str, Any]:
    """The cookies of a person of their own, whose tokens end meanwhile. They win over a cookie that is made up."""
    person = a_person(email="browser@example.org")
    make_token(by=person, name="Example", scopes=["read"])
    session, csrf = signed_in(person).cookies["sessionid"].value, "x" * 32
    return {
        "headers": {"Cookie": f"sessionid={session}; csrftoken={csrf}", "X-CSRFToken": csrf},
        "checks": {name: {"enabled": False} for name in ("ignored_auth", "negative_data_rejection")},
    }


@dataclass
class Explored:
    """What came of it: the program's words, its status, and each request with the status of its answer."""

    said: str
    status: int
    answers: list[tuple[str, int]]

    def succeeded(self) -> set[str]:
        """The operations that did at least once what was asked."""
        return {operation for operation, status in self.answers if 200 <= status < 300}


def explore(origin: str, folder: Path, operations: list[dict[str, Any]], *options: str) -> Explored:
    """Run schemathesis on a server; `operations` has the headers of each operation."""
    config = {
        "hooks": str(HOOKS),
        "operations": operations,
        # Too much at once is refused by a word of its own.
        "checks": {
            "negative_data_rejection": {"expected-statuses": [*NEGATIVE, "413"]},
            "positive_data_acceptance": {"expected-statuses": POSITIVE},
        },
    }
    (folder / "schemathesis.toml").write_text(toml(config))
    (folder / "openapi.json").write_text(json.dumps(promised()))
    diary = folder / "diary"
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(folder / "schemathesis.toml")]
    command += ["run", str(folder / "openapi.json"), "--url", origin, "--continue-on-failure", *options]
    known = {"sections": a_template(resolution="It is a TODO.").to_json(), "finding": ADVISED}
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"SCHEMATHESIS_KNOWN_VALUES": json.dumps(known), "SCHEMATHESIS_LOG": str(diary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    answers = [line.split() for line in diary.read_text().splitlines()] if diary.exists() else []
    said = done.stdout + done.stderr
    return Explored(said, done.returncode, [(operation, int(status)) for operation, status in answers])


NEGATIVE = ["400", "401", "403", "404", "405", "406", "409", "412", "415", "422", "428", "429"]
# What has the right shape may still be refused for what it says, or for what it knows of the draft.
POSITIVE = ["2xx", "304", "401", "403", "404", "409", "412", "413", "422", "428"]


def toml(config: dict[str, Any]) -> str:
    """JSON's texts and lists are TOML's as well; tables are written out."""
    lines, tables = [], []
    for name, value in config.items():
        if isinstance(value, dict):
            tables += [f"[{name}]", *(f"{key} = {inline(each)}" for key, each in value.items())]
        elif isinstance(value, list):
            for each in value:
                tables += [f"[[{name}]]", *(f"{key} = {inline(part)}" for key, part in each.items())]
        else:
            lines.append(f"{name} = {inline(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {inline(each)}" for key, each in value.items()) + "}"
    return json.dumps(value)
