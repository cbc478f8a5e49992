"""Imports of a few lines: they have the result of a comparison with the whole list, and read only a part of it."""

import json
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models.signals import post_init
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.namespaces.actions.profiles import PrefixesCollide, set_profile
from registry.namespaces.models import Namespace
from registry.subnamespaces.importing import ListFormat, ListRefused, ListUnchanged, plan_import
from registry.subnamespaces.models import SubNamespace
from registry.subnamespaces.queries import list_of, search
from tests.subnamespaces.conftest import SOURCE, Import
from tests.support.factories import a_profile
from urnsyntax.profiles import Profile
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Entry
from urnsyntax.profiles.subnamespaces.verifying import failures_of_list

LABELS = ("a", "A", "b", "x", "X", "x-")
# Letter case counts in the prefixes at the top and after a hyphen; below others, a source is needed.
LEVELS = [
    {"name": "garden", "coverage": "partial", "separator": ":-", "source": SOURCE},
    {"of": "b", "name": "house", "coverage": "complete", "separator": ":-", "sample": "-1", "source": SOURCE},
    {"of": "*", "name": "bed", "coverage": "free", "separator": ":-", "sample": "-1"},
]
RULES = (
    {"pattern": "[A-Za-z0-9:-]+", "counterexamples": ["-+"]},
    {"pattern": "[0-9]+", "counterexamples": [":x-1", ":a-b"]},
    {"pattern": "[a-z]+-[0-9]+", "counterexamples": ["-1"]},
)
Content = dict[str, Any]


@pytest.fixture
def beds(gardens: Namespace, administrator: User) -> Namespace:
    """A namespace in which the normalized prefix, the source and the rules of a row depend on the rows around it."""
    profile = a_profile(
        gardens.nid,
        pattern="[A-Za-z]+(:[A-Za-z]+)*-[A-Za-z0-9+:-]+",
        equivalence="prefix",
        levels=LEVELS,
        examples=("kew-1", "kew-2", "oak-1"),
    )
    set_profile(gardens, by=administrator, profile=profile, basis="Beds.", replaces=1)
    gardens.refresh_from_db()
    return gardens


def expected(
    stored: Iterable[Content], document: Iterable[Content], profile: Profile
) -> dict[str, Content] | list[str] | None:
    """The list after an import by key, computed from the whole list; what is wrong with it; None if rows become the same."""
    walker = profile.walker
    assert walker is not None
    known = {each["prefix"].lower() for each in (*stored, *document)}
    rows = {walker.key_of(each["prefix"], known): each for each in stored}
    if len(rows) < len([*stored]):
        return None
    wanted: dict[str, Content] = {}
    for each in document:
        key = walker.key_of(each["prefix"], known)
        if key in wanted:
            return [f"{each['prefix']}: The prefix is the same as “{wanted[key]['prefix']}”. Remove one."]
        wanted[key] = each | {"prefix": rows[key]["prefix"] if key in rows else each["prefix"]}
    after = rows | wanted
    entries = sorted(
        (Entry.from_dict(each, profile.nid) for each in after.values()), key=lambda each: each.prefix
    )
    return [*failures_of_list(entries, profile, walker)] or after


def result(
    import_list: Import, namespace: Namespace, document: list[Content]
) -> dict[str, Content] | list[str] | None:
    try:
        with transaction.atomic():
            import_list("\n".join(map(json.dumps, document)))
    except ListRefused as refusal:
        return refusal.failures
    except PrefixesCollide:
        return None
    except ListUnchanged:
        pass
    return {row.key: row.content for row in SubNamespace.objects.filter(namespace=namespace)}


def a_content(random: Random, nid: str) -> Content:
    prefix = ":".join(random.choice(LABELS[:-1]) for _ in range(random.randint(1, 3)))
    if random.random() < 0.03:
        prefix += random.choice(LABELS)
    content: Content = {"prefix": prefix, "title": random.choice(("One", "Two"))}
    if random.random() < 0.75:
        content["source"] = "List"
    if random.random() < 0.3:
        content["successor"] = ":".join(random.choice(LABELS[:-1]) for _ in range(random.randint(1, 2)))
        content["status"] = "retired"
    if random.random() < 0.25:
        rules = random.choice(RULES)
        content["names"] = {
            "pattern": rules["pattern"],
            "examples": [
                {"urn": f"urn:{nid}:{prefix}{random.choice((':x-1', '-12', ':a-b'))}", "description": "One"}
            ],
            "counterexamples": [
                {"urn": f"urn:{nid}:{prefix}{each}", "reason": "No."} for each in rules["counterexamples"]
            ],
        }
    return content


def lists(random: Random, profile: Profile) -> Iterator[list[Content]]:
    """Documents that are imported one after the other: the first one is long and right, the others have a few lines."""
    first: list[Content] = [{"prefix": "b", "title": "B", "source": "List"}]
    for _ in range(30):
        longer = [*first, a_content(random, profile.nid)]
        first = longer if isinstance(expected([], longer, profile), dict) else first
    yield first
    for _ in range(15):
        yield [a_content(random, profile.nid) for _ in range(random.choice((1, 1, 1, 2)))]


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(n, marks=pytest.mark.soak) for n in range(2, 50))]
)
def test_an_import_has_the_result_of_a_comparison_with_the_whole_list(
    seed: int, beds: Namespace, import_list: Import
) -> None:
    random = Random(seed)
    profile = beds.current_profile
    assert profile is not None
    outcomes = set()
    for _ in range(5):
        with transaction.atomic():
            for document in lists(random, profile):
                stored = [row.content for row in SubNamespace.objects.filter(namespace=beds).order_by("key")]
                wanted = expected(stored, document, profile)
                outcomes.add(type(wanted))
                assert result(import_list, beds, document) == wanted, (stored, document)
            transaction.set_rollback(True)
        beds.refresh_from_db()
    assert outcomes >= {dict, list}


def test_an_import_of_a_few_lines_reads_few_rows(beds: Namespace, import_list: Import) -> None:
    def lines(*prefixes: str) -> str:
        return "\n".join(f'{{"prefix": "{each}", "title": "T", "source": "List"}}' for each in prefixes)

    read: list[str] = []

    def count(instance: SubNamespace, **_: Any) -> None:
        read.append(instance.key)

    import_list(lines("b", *(f"g{n}:r{n}" for n in range(200)), *(f"many:r{n}" for n in range(200))))
    post_init.connect(count, sender=SubNamespace)
    try:
        with CaptureQueriesContext(connection) as few:
            plan_import(beds, lines("g1:r1", "new"), list_format=ListFormat.JSON_LINES)
        with CaptureQueriesContext(connection) as more:
            plan_import(
                beds,
                lines(*(f"g{n}:r{n}" for n in range(100, 130)), "new"),
                list_format=ListFormat.JSON_LINES,
            )
        # The new one is around others.
        below = plan_import(beds, lines("g1"), list_format=ListFormat.JSON_LINES)
    finally:
        post_init.disconnect(count, sender=SubNamespace)
    assert max(len(few), len(more)) <= 8
    assert read[:1] == ["g1:r1"]
    assert sorted(read[1:31]) == [f"g{n}:r{n}" for n in range(100, 130)]
    assert set(read[31:]) == {"g1:r1"}
    assert list(below.added) == ["g1"]


@pytest.fixture
def plots(gardens: Namespace, administrator: User) -> Namespace:
    """A namespace that ignores hyphens and dots in its names, but not in the prefixes around others."""
    profile = a_profile(
        gardens.nid,
        unstated="They decide.",
        ignored_characters="-.",
        levels=[
            {"name": "garden", "coverage": "free"},
            {"of": "*", "name": "bed", "coverage": "free", "sample": "-1"},
        ],
        examples=("kew-1", "kew-2", "oak-1"),
    )
    set_profile(gardens, by=administrator, profile=profile, basis="Hyphens are ignored.", replaces=1)
    gardens.refresh_from_db()
    return gardens


def line(prefix: str, **members: str) -> str:
    return json.dumps({"prefix": prefix, "title": "T", "source": "List", "as_of": "2026-01-31"} | members)


@pytest.mark.usefixtures("plots")
def test_a_successor_with_a_new_normalized_prefix_is_refused(import_list: Import) -> None:
    """The successor “pq:x” is the row “p.q:x”, until “pq” is listed around the one and not around the other."""
    import_list("\n".join([line("p.q:x"), line("r", status="retired", successor="pq:x")]))
    with pytest.raises(ListRefused, match="r: The list does not contain the successor “pq:x”"):
        import_list(line("pq"))


def test_another_spelling_of_a_prefix_adds_none(plots: Namespace, import_list: Import) -> None:
    """So what is listed below that spelling is compared as before."""
    import_list("\n".join([line("pq"), line("p.q:x")]))
    before = dict(plots.subnamespaces.values_list("prefix", "key"))
    import_list(line("p.q", title="New title"))
    assert dict(plots.subnamespaces.values_list("prefix", "key")) == before
    assert plots.subnamespaces.get(prefix="pq").title == "New title"
    import_list(line("p.q:x", title="Also new"))
    assert dict(plots.subnamespaces.values_list("prefix", "key")) == before


def test_the_beginning_of_a_prefix_is_found_in_both_letter_cases(
    plots: Namespace, import_list: Import
) -> None:
    """Letter case counts in this namespace, but people do not type it."""
    import_list("\n".join([line("Ab"), line("abc"), line("b")]))
    rows = list_of(plots)
    assert [each.prefix for each in search(rows, "Ab")] == ["Ab", "abc"]
    assert [each.prefix for each in search(rows, "ab")] == ["abc"]
    assert [each.prefix for each in search(rows, "B")] == ["b"]
