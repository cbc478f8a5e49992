"""Requests about registers that are refused: one for each type of problem, see `problem_causes`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation
from registry.registers.actions.requests import MAX_UNDECIDED
from registry.registers.models import Entry
from tests.registers.conftest import ASKED, OPENED, a_described_namespace
from tests.support.factories import describe

if TYPE_CHECKING:
    from tests.api.problem_causes import World

CHANGED = {"policy": "first_come", "title": "Gardens", "guidance": "", "replaces": 1}
ENTERED = {"label": "kew", "title": "Kew Gardens"}
LEVEL = {"name": "garden", "coverage": "free"}


def opened(world: "World", times: int = 1, levels: Any = (), holder: Any = None, **changes: Any) -> Any:
    """The response to opening a register below a namespace of the registrant, or of their organisation as the `holder`."""
    namespace = a_described_namespace(registrant=holder or world.registrant)
    if levels and (profile := namespace.current_profile):
        describe(namespace, type(profile).from_dict(profile.to_dict() | {"levels": levels}))
    path = f"namespaces/{namespace.nid}/register/"
    return [world.by(world.registrant, path, OPENED | changes) for _ in range(times)][-1]


def opened_path(world: "World", **changes: Any) -> str:
    nid = opened(world, **changes).json()["nid"]
    return f"namespaces/{nid}/register/"


def at_register(
    world: "World", action: str, sent: Any, *, times: int = 1, after: Any = None, **changes: Any
) -> Any:
    """The response to an action of the holder; `after` is an entry before it."""
    path = opened_path(world, **changes)
    if after is not None:
        world.by(world.registrant, f"{path}entries/", after)
    return [world.by(world.registrant, f"{path}{action}/", sent) for _ in range(times)][-1]


def at_suspended_register(world: "World", action: str, sent: Any) -> Any:
    path = opened_path(world)
    world.by(world.administrator, f"{path}suspend/", {"reason": "Order 17 of a court."})
    return world.by(world.registrant, f"{path}{action}/", sent)


def at_deprecated(world: "World") -> Any:
    path = opened_path(world)
    nid = path.split("/")[1]
    deprecate(Namespace.objects.get(nid=nid), by=world.administrator, statement="No one uses it.")
    return world.by(world.registrant, f"{path}entries/", ENTERED)


def on_request(world: "World", *sent: Any) -> Any:
    """The response to the last of some actions on a request; withdrawals are by the requester."""
    path = f"{opened_path(world, policy='expert_review')}requests/"
    number = world.by(world.expert, path, ASKED).json()["number"]
    answers = [
        world.by(
            world.expert if action == "withdraw" else world.registrant, f"{path}{number}/{action}/", body
        )
        for action, body in zip(sent[::2], sent[1::2], strict=True)
    ]
    return answers[-1]


def beyond_the_undecided(world: "World") -> Any:
    path = f"{opened_path(world, policy='expert_review')}requests/"
    bodies = (ASKED | {"label": f"garden-{number}-of-many"} for number in range(MAX_UNDECIDED + 1))
    return [world.by(world.expert, path, body) for body in bodies][-1]


def entry_of(world: "World", levels: Any = ()) -> str:
    """The path of an entry that the holder of the register has."""
    path = opened_path(world, levels=levels, entry_name="")
    world.by(world.registrant, f"{path}entries/", ENTERED)
    return f"{path.removesuffix('register/')}entries/{Entry.objects.latest('pk').pk}/"


def offered_twice(world: "World") -> Any:
    path = f"{entry_of(world, levels=[LEVEL])}offers/"
    return [world.by(world.registrant, path, {"to": "heir@example.org"}) for _ in range(2)][-1]


def below_the_last_level(world: "World") -> Any:
    path = f"{entry_of(world, levels=[LEVEL | {'below': 'nothing'}])}register/"
    return world.by(world.registrant, path, {"policy": "closed", "title": "Trees"})


CHANGE = {"title": "Kew", "status": "active", "register_version": 1, "replaces": 1}


def changed_entry(world: "World", **change: Any) -> Any:
    """The response to a change of an entry by the holder of the register."""
    return world.by(world.registrant, f"{entry_of(world, levels=[LEVEL])}change/", CHANGE | change)


def changed_while_a_change_waits(world: "World") -> Any:
    path = opened_path(world, policy="expert_review")
    number = world.by(world.expert, f"{path}requests/", ASKED).json()["number"]
    world.by(world.registrant, f"{path}requests/{number}/accept/", {"revision": 1})
    entry = f"{path.removesuffix('register/')}entries/{Entry.objects.latest('pk').pk}/change/"
    return [world.by(world.expert, entry, CHANGE) for _ in range(2)][-1]


def incomplete_request(world: "World") -> Any:
    """The response to accepting a request, after a field was added that it lacks."""
    path = opened_path(world, policy="expert_review")
    number = world.by(world.expert, f"{path}requests/", ASKED).json()["number"]
    needed = {"fields": [{"label": "Trees", "required": True}], "replaces": 1}
    world.by(world.registrant, f"{path}fields/", needed)
    return world.by(world.registrant, f"{path}requests/{number}/accept/", {"revision": 1})


OF_REGISTERS: dict[str, Callable[["World"], Any]] = {
    "register-exists": lambda world: opened(world, times=2),
    "register-needs-profile": lambda world: world.by(
        world.registrant, f"namespaces/{world.trees.nid}/register/", OPENED
    ),
    "invalid-register": lambda world: opened(world, levels=[{"name": "park", "coverage": "free"}]),
    "stale-register": lambda world: at_register(world, "change", CHANGED | {"replaces": 2}),
    "register-unchanged": lambda world: at_register(
        world, "change", {**CHANGED, "title": OPENED["title"], "guidance": OPENED["guidance"]}
    ),
    "register-suspended": lambda world: at_suspended_register(world, "entries", ENTERED),
    "not-suspended": lambda world: world.by(
        world.administrator, f"{opened_path(world)}resume/", {"reason": "It was lifted."}
    ),
    "register-ended": at_deprecated,
    "policy-forbids": lambda world: at_register(world, "entries", ENTERED, policy="closed"),
    "no-organisation": lambda world: at_register(world, "name-reviewer", {"email": "a@example.org"}),
    "invalid-reviewer": lambda world: at_register(
        world,
        "remove-reviewer",
        {"email": "a@example.org"},
        holder=create_organisation(by=world.registrant, name="Example Arboretum"),
    ),
    "invalid-entry": lambda world: at_register(world, "entries", ENTERED | {"label": "kew:1"}),
    "entry-taken": lambda world: at_register(world, "entries", ENTERED, times=2),
    "entry-looks-alike": lambda world: at_register(
        world, "entries", ENTERED | {"label": "KEW"}, after=ENTERED
    ),
    "entries-refused": lambda world: at_register(
        world,
        "entries/bulk",
        {"document": '{"label": "kew:1", "title": "Kew"}', "list_format": "jsonl", "replaces": 0},
    ),
    "field-refused": lambda world: at_register(
        world, "fields", {"fields": [{"label": "Size", "kind": "choice"}], "replaces": 1}
    ),
    "field-value-refused": lambda world: at_register(world, "entries", ENTERED | {"fields": {"size": "1"}}),
    "request-incomplete": incomplete_request,
    "invalid-change": lambda world: changed_entry(world, status="deprecated", successor="elm"),
    "stale-entry": lambda world: changed_entry(world, replaces=2),
    "change-waits": changed_while_a_change_waits,
    "too-many-undecided": beyond_the_undecided,
    "request-decided": lambda world: on_request(world, "withdraw", {}, "withdraw", {}),
    "entry-offer-not-open": offered_twice,
    "invalid-recall": lambda world: world.by(
        world.registrant, f"{entry_of(world, levels=[LEVEL])}recall/", {"reason": "No answer."}
    ),
    "nothing-follows": below_the_last_level,
    "stale-request": lambda world: on_request(world, "accept", {"revision": 2}),
}
