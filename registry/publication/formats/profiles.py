"""The current profiles of all namespaces as one JSON object, each as `docs/profiles.md` describes it."""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from registry.namespaces.models import Namespace

CHUNK = 500
to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def with_profile() -> QuerySet[Namespace]:
    """The namespaces that have a profile, ordered by NID."""
    return Namespace.objects.filter(profile__isnull=False).order_by("nid")


def format_profiles() -> Iterator[str]:
    """Yield `{"profiles": […]}`, with each profile on a line."""
    yield '{"profiles":['
    yield from separated(to_json(content) for content in _contents())
    yield "\n]}\n"


def _contents() -> Iterator[dict[str, Any]]:
    return with_profile().values_list("profile__content", flat=True).iterator(chunk_size=CHUNK)


def separated(members: Iterator[str]) -> Iterator[str]:
    """The members of an array or an object, each on a line and after a comma."""
    separator = "\n"
    for each in members:
        yield separator + each
        separator = ",\n"
