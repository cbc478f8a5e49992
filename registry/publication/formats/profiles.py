"""The current profiles of all namespaces as one JSON object, each as `docs/profiles.md` describes it."""

import json
from collections.abc import Iterator
from typing import Any

from registry.audit_log.models import LogPosition
from registry.namespaces.models import Namespace

CHUNK = 500
to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def current_profiles(*fields: str) -> Iterator[tuple[Any, ...]]:
    """The content of each current profile and these fields of its namespace, ordered by NID."""
    described = Namespace.objects.filter(profile__isnull=False).order_by("nid")
    yield from described.values_list("profile__content", *fields).iterator(chunk_size=CHUNK)


def format_profiles() -> Iterator[str]:
    """Yield `{"profiles": […], "log_position": …}`, with each profile on a line, and the last event before this state."""
    yield '{"profiles":['
    yield from separated(to_json(content) for (content,) in current_profiles())
    yield f'\n],"log_position":{LogPosition.current().number}}}\n'


def separated(members: Iterator[str]) -> Iterator[str]:
    """The members of an array or an object, each on a line and after a comma."""
    separator = "\n"
    for each in members:
        yield separator + each
        separator = ",\n"
