"""Hooks for schemathesis: valid people and templates, which it cannot generate.

A body that is to be taken is changed where chance would never find what a case needs. Nothing else is touched,
least of all what is to be refused.
"""

import itertools
import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import schemathesis
import yaml
from schemathesis import GenerationMode
from schemathesis.core import deserialization

KNOWN = json.loads(os.environ.get("SCHEMATHESIS_KNOWN_VALUES", "{}"))
DIARY = Path(os.environ.get("SCHEMATHESIS_LOG", os.devnull))
DRAFTS = {"saveDraft", "updateDraft"}
COUNT = itertools.count()
ADDRESSES = {
    "offerTransfer": ("to", "heir"),
    "inviteCoEditor": ("email", "co-editor"),
    "withdrawInvitation": ("email", "co-editor"),
    "removeCoEditor": ("email", "co-editor"),
}


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    if case.meta is not None and case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    operation = case.operation.definition.raw["operationId"]
    if isinstance(case.body, dict):
        case.body = known(operation, case.body)
    if operation in DRAFTS and next(COUNT) % 4:
        case.headers["If-Match"] = "*"
    # A new key for each request: the key of the example would belong to the first request.
    if case.headers and case.headers.get("Idempotency-Key") and next(COUNT) % 4:
        case.headers["Idempotency-Key"] = f'"{next(COUNT)}"'


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    with DIARY.open("a") as diary:
        diary.write(f"{case.operation.definition.raw['operationId']} {response.status_code}\n")


def yaml_in(stream: Any) -> Any:
    """schemathesis keeps a megabyte of a response for later, and the description is longer: a part may be no YAML.

    It passes over a ValueError, but not over an error of YAML, which ends its thread, and so all operations that follow.
    """
    try:
        return parse_yaml(stream)
    except yaml.YAMLError as fault:
        raise ValueError(fault) from fault


parse_yaml, deserialization.deserialize_yaml = deserialization.deserialize_yaml, yaml_in


def known(operation: str, body: dict[str, Any]) -> dict[str, Any]:
    """The body with what chance would not find: names of people, sound sections, the round that there is."""
    changed = dict(body)
    chance = sha256(repr(sorted(body.items(), key=str)).encode()).digest()
    if operation in ADDRESSES:
        name, who = ADDRESSES[operation]
        changed[name] = f"{who}@example.org"
    if "sections" in changed and chance[0] % 4:
        changed["sections"] = KNOWN["sections"] | {"namespace_identifier": f"n{chance.hex()[:12]}"}
    if "sections" in changed:
        changed.pop("template", None)
    if operation == "createCase" and chance[0] % 4:
        changed.pop("template", None)
        changed |= {"body": "Example Standards Body"} if changed.get("procedure") == "fast_track" else {}
        changed |= {"sections": sections_for(changed.get("kind"), chance)}
    if isinstance(changed.get("round"), int) and chance[0] % 4:
        changed["round"] = 1
    if operation == "dismissFinding" and chance[0] % 4:
        changed |= KNOWN["finding"]
    if operation == "setNamespaceRules" and chance[0] % 4:
        changed |= {"replaces": 0, "nss_pattern": "[0-9]+(:[0-9]+)?"}
        changed.pop("ignored_characters", None)
    if operation in DRAFTS and chance[0] % 4:
        changed.pop("replies", None)
    if operation == "deprecateNamespace":
        changed.pop("successor", None)
    if "action_points" in changed:
        changed["action_points"] = [point | {"section": "purpose"} for point in changed["action_points"]]
    if operation == "createComment" and chance[0] % 4:
        changed.pop("reply_to", None)
        changed["section"] = "purpose"
    return changed


def sections_for(kind: Any, chance: bytes) -> dict[str, Any]:
    identifier = "" if kind == "informal" else f"n{chance.hex()[:12]}"
    syntax = KNOWN["sections"]["syntax"].replace("example-trees", identifier)
    return KNOWN["sections"] | {"namespace_identifier": identifier, "syntax": syntax}
