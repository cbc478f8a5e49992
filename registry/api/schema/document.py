"""The parts of the description that belong to no operation, and the groups of operations."""

import re
from pathlib import Path
from typing import Any, NamedTuple

# In place of PUBLIC_ORIGIN, because the description is committed; what is served has PUBLIC_ORIGIN again.
EXAMPLE_ORIGIN = "https://registry.example.org"
# The end of the addresses whose suffix selects the format, and of the names of their operations.
SUFFIX, IN_FORMAT = ".{suffix}", "InFormat"


class Tag(NamedTuple):
    """A group of operations: a tag of OpenAPI.

    `paths` is a regular expression for the path below /api/v1/. The first tag that matches is taken.
    """

    name: str
    description: str
    paths: str


_TRANSITION_OF_CASE = (
    r"cases/\{number\}/(?!(actions|draft|check|comments|rounds|reviews|events|compare)/)[a-z-]+/"
)
TAGS = (
    Tag("namespaces", "Registered namespaces: lists, one namespace, its versions and its profile.", ""),
    Tag(
        "urns",
        "URNs: their parts, whether they follow the rules of their namespace, and where they resolve.",
        r"(urns|resolve)[/.]",
    ),
    Tag("nids", "Whether a namespace identifier is registered, or could be requested.", ""),
    Tag("services", "The services that resolve URNs, and whether they work.", ""),
    Tag("transitions", "The actions that take a case through the process.", _TRANSITION_OF_CASE),
    Tag(
        "drafts",
        "The text of a case before it is submitted: reading, saving and checking it.",
        r"cases/\{number\}/(draft|check)[/.]",
    ),
    Tag("cases", "Requests to register or revise a namespace: rounds, reviews, comments and events.", ""),
    Tag(
        "transfers",
        "The transfer of namespaces to another registrant, or to an organisation of the registrant.",
        r"(namespaces/\{nid\}/transfers|organisations/\{organisation\}/namespaces)/",
    ),
    Tag(
        "claims",
        "Claims of namespaces by people who say that they are the registrant.",
        r"(claims|namespaces/\{nid\}/claims)/",
    ),
    Tag(
        "registers",
        "Registers below namespaces and entries: what is assigned there, by which policy, requests for entries, and their holders.",
        r"namespaces/\{nid\}/(register|entries)/",
    ),
    Tag(
        "sightings",
        "NIDs that are in use although no namespace has them, and reports of them.",
        r"(account/)?sightings/",
    ),
    Tag(
        "domains",
        "The domains of an organisation, and what proves them.",
        r"organisations/\{organisation\}/domains/",
    ),
    Tag(
        "organisations",
        "Organisations, to which namespaces and cases belong, their members, and invitations to become one.",
        r"organisations/",
    ),
    Tag("events", "Everything that has happened, in order: the way to keep a copy of the registry.", ""),
    Tag("audit-log", "The signed heads of the log of events, which prove that it was not rewritten.", ""),
    Tag("files", "The whole registry as files.", ""),
    Tag("statistics", "How many requests there are, and how long they take.", ""),
    Tag("account", "The account and the token of the client.", r"(account|token)/"),
    Tag(
        "api", "The root of the API, its description and its problem types.", r"(|schema[/.].*|problems/.*)$"
    ),
)


def tag_of(path: str) -> str:
    """The tag of an operation, by its path; by default, the name of the first folder below /api/v1/."""
    below = path.removeprefix("/api/v1/")
    found = next((tag.name for tag in TAGS if tag.paths and re.match(tag.paths, below)), "")
    return found or below.partition("/")[0]


# Settings of drf-spectacular.
DOCUMENT: dict[str, Any] = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "The registry of URN namespaces",
    "VERSION": "1",
    "DESCRIPTION": Path(__file__).with_name("description.md").read_text("utf-8"),
    "SERVERS": [{"url": EXAMPLE_ORIGIN, "description": "This registry"}],
    "CONTACT": {"name": "The registry of URN namespaces", "url": f"{EXAMPLE_ORIGIN}/api/"},
    "LICENSE": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
    "EXTERNAL_DOCS": {"url": f"{EXAMPLE_ORIGIN}/api/", "description": "Quick start, guides and reference"},
    "WEBHOOKS": [
        "registry.api.webhooks.openapi.CHALLENGE",
        "registry.api.webhooks.openapi.EVENT",
        "registry.api.webhooks.openapi.TEST",
    ],
    "TAGS": [{"name": tag.name, "description": tag.description} for tag in TAGS],
}
