"""Generated documentation: the tables and the diagram that `python3 run.py docs` writes from the code.

`docs/configuration.md` and `.env.example` come from `registry/environment.py`. `docs/process.md` and
`docs/deployment/containers.md` are written by hand, except for the parts between the markers `<!-- NAME -->` and
`<!-- end of NAME -->`.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import wrap

from registry.cases.models import CLOSED_STATES, State
from registry.cases.workflow.declarations.actions import ACTIONS, DISMISS_FINDING
from registry.cases.workflow.declarations.definition import CaseAction
from registry.cases.workflow.declarations.transitions import TRANSITIONS
from registry.environment import ALLOCATORS, GROUPS, Setting

ROOT = Path(__file__).resolve().parent.parent.parent


def documents() -> dict[Path, str]:
    """The content that each generated file should have, by its path."""
    process, containers = ROOT / "docs" / "process.md", ROOT / "docs" / "deployment" / "containers.md"
    return {
        ROOT / ".env.example": env_example(),
        ROOT / "docs" / "configuration.md": configuration(),
        process: with_parts(process.read_text(encoding="utf-8"), PARTS),
        containers: with_parts(containers.read_text(encoding="utf-8"), {"packages": image_packages}),
    }


def write() -> list[Path]:
    """Write the files whose content is out of date, and return their paths."""
    outdated = {
        path: text
        for path, text in documents().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in outdated.items():
        path.write_text(text, encoding="utf-8")
    return list(outdated)


def with_parts(text: str, parts: dict[str, Callable[[], str]]) -> str:
    """The text with each generated part replaced."""
    for name, part in parts.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, rest = text.split(begin)
        after = rest.split(end)[1]
        text = f"{before}{begin}\n{part()}\n{end}{after}"
    return text


# The process


def state_diagram() -> str:
    """The states and transitions as a Mermaid diagram; transitions between the same states share an arrow."""
    arrows: dict[tuple[State, State], list[str]] = {}
    for transition in TRANSITIONS:
        for source in sorted(transition.sources, key=list(State).index):
            for target in transition.targets:
                arrows.setdefault((source, target), []).append(transition.name)
    lines = [f"    {source} --> {target}: {', '.join(names)}" for (source, target), names in arrows.items()]
    ends = [f"    {state} --> [*]" for state in State if state in CLOSED_STATES]
    return "\n".join(["```mermaid", "stateDiagram-v2", f"    [*] --> {State.DRAFT}", *lines, *ends, "```"])


def transition_table() -> str:
    rows = [(*_action(each), ", ".join(f"`{state}`" for state in each.targets)) for each in TRANSITIONS]
    return _table(("Transition", "Permission", "From", "To"), rows)


def action_table() -> str:
    rows = [_action(each) for each in (*ACTIONS, DISMISS_FINDING)]
    return _table(("Action", "Permission", "In"), rows)


def condition_table() -> str:
    """Each condition once, with the transitions and actions that it limits."""
    limited: dict[str, list[str]] = {}
    for transition in (*TRANSITIONS, *ACTIONS):
        for condition in transition.conditions:
            limited.setdefault(str(condition.message), []).append(f"`{transition.name}`")
    return _table(
        ("Refused with", "Applies to"), [(message, ", ".join(names)) for message, names in limited.items()]
    )


def _action(action: CaseAction) -> tuple[str, str, str]:
    permission = (
        action.permission.__name__.removeprefix("is_")
        .removeprefix("has_")
        .replace("co_editor", "co-editor")
        .replace("_", " ")
    )
    sources = [f"`{state}`" for state in State if state in action.sources]
    return f"`{action.name}`", permission, ", ".join(sources)


PARTS = {
    "diagram": state_diagram,
    "transitions": transition_table,
    "conditions": condition_table,
    "actions": action_table,
}


# The container image


def image_packages() -> str:
    """The packages of Python in the image: those of a deployment on Linux."""
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==(?!.*sys_platform == 'win32')", lock, re.MULTILINE)
    return "\n".join(wrap(f"{', '.join(pinned)}.", 120, break_on_hyphens=False))


# The configuration

CONFIGURATION = """\
# Configuration

<!-- Written by `python3 run.py docs` from `registry/environment.py`; do not edit. -->

The processes of a deployment read their configuration from environment variables. To try the registry, set
none of them. An empty value counts as not set. A malformed value stops the process at start, with a message
that names the variable.

[`.env.example`](../.env.example) lists the same variables in the format of an environment file.
[Deployment](deployment.md) describes how to start the processes.
"""

ALLOCATORS_HELP = """\
## Memory allocators

The memory allocators of the GNU C library and of granian (jemalloc) read these variables on Linux. With them, a worker
process returns freed memory to the operating system.
"""


def configuration() -> str:
    parts = [CONFIGURATION]
    for group in GROUPS:
        rows = [
            (f"`{each.name}`", _sentence(each.kind), _default(each), each.help) for each in group.settings
        ]
        table = _table(("Variable", "Type", "Default", "Description"), rows)
        parts.append(f"## {group.title}\n\n{table}\n")
    values = _table(
        ("Variable", "Recommended value"), [(f"`{name}`", f"`{value}`") for name, value in ALLOCATORS.items()]
    )
    return "\n".join([*parts, f"{ALLOCATORS_HELP}\n{values}\n"])


def _default(setting: Setting) -> str:
    if setting.required:
        return f"required; demonstration: `{setting.demonstration}`"
    default = f"`{setting.default}`" if setting.default else "none"
    return (
        default if setting.demonstration is None else f"{default}; demonstration: `{setting.demonstration}`"
    )


def env_example() -> str:
    """The settings as an environment file, with the documentation as comments."""
    lines = ["# Environment variables of a deployment. To try the registry, set none of them.", ""]
    for group in GROUPS:
        lines.append(f"# {group.title}")
        for setting in group.settings:
            required = "Required. " if setting.required else ""
            lines += ["", *_comment(required + setting.help.replace("`", ""))]
            value = setting.default if setting.example is None else setting.example
            lines.append(f"{setting.name}={value}")
        lines.append("")
    lines += [
        "# Memory allocators (Linux)",
        "",
        *_comment("A worker process returns freed memory to the system."),
    ]
    lines += [f"{name}={value}" for name, value in ALLOCATORS.items()]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    lines = [line for part in text.splitlines() for line in wrap(part, 108, break_on_hyphens=False)]
    return [f"# {line}" for line in lines]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    cells = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(_cell(text) for text in row)} |" for row in cells)


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|")
