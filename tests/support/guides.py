"""The commands in guides for operators, in the order in which they are carried out."""

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from django.conf import settings

# Programs whose commands guides name in a sentence or a table.
PROGRAMS = (
    "cat|curl|docker|manage\\.py|nginx|patronictl|pg_dump|pg_restore|pgbackrest|podman|psql|python3|systemctl"
)
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(rf"`((?:(?:{PROGRAMS}) |ALTER |SELECT )[^`]+)`")


@dataclass(frozen=True)
class Step:
    """A command of the shell, or statements of SQL."""

    text: str
    is_sql: bool = False


def with_archive(patroni: str) -> str:
    """The example for Patroni with the lines of the archive, which are comments in it."""
    return re.sub(
        r"^( *)# ((?:archive_\w+|  restore_command|recovery_conf):)", r"\1\2", patroni, flags=re.MULTILINE
    )


def pgbackrest_configuration(repository: Path, *, logs: Path, data: Path, socket: Path, port: int) -> str:
    """The example for pgBackRest with these places."""
    text = Path(settings.BASE_DIR, "docs/deployment/pgbackrest.conf").read_text("utf-8")
    places = {
        "repo1-path": repository,
        "log-path": logs,
        "lock-path": logs,
        "pg1-path": data,
        "pg1-socket-path": socket,
        "pg1-port": port,
    }
    for name, place in places.items():
        text, times = re.subn(f"^{name}=.*", f"{name}={place}", text, flags=re.MULTILINE)
        assert times == 1, name
    return text


def steps_of(*guides: str) -> list[Step]:
    """Each command of these guides once: in the place of its code block, or else where it is first named."""
    texts = [Path(settings.BASE_DIR, "docs", guide).read_text("utf-8") for guide in guides]
    in_blocks = {step for text in texts for step in _in_blocks(text)}
    found: dict[Step, None] = {}
    for text in texts:
        for part in re.split(r"(^ *```\w+\n.*?^ *```$)", text, flags=re.DOTALL | re.MULTILINE):
            steps = _in_blocks(part) or [each for each in _in_sentences(part) if each not in in_blocks]
            found |= dict.fromkeys(steps)
    return list(found)


def _in_blocks(text: str) -> list[Step]:
    steps = []
    for _, language, body in BLOCK.findall(text):
        if language == "sql":
            steps.append(Step(dedent(body), is_sql=True))
        if language == "sh":
            steps += [Step(_plain(line)) for line in body.replace("\\\n", " ").splitlines()]
    return steps


def _in_sentences(text: str) -> list[Step]:
    spans = SPAN.findall(re.sub("```.*?```", "", text, flags=re.DOTALL))
    return [Step(_plain(each), is_sql=each.startswith(("ALTER ", "SELECT "))) for each in spans]


def _plain(line: str) -> str:
    return re.sub(r"^\.venv/bin/python (?=manage\.py)", "", " ".join(line.split()))
