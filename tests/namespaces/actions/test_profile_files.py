"""`manage.py load_profiles`: what is set, what is kept, and what is only checked."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.namespaces.actions import registration
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace, Origin, ProfileVersion
from registry.namespaces.profile_documents import to_toml
from tests.support.factories import a_profile, a_template
from urnsyntax.profiles import Profile

Load = Callable[..., tuple[str, str]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Write profiles into a directory, and load them; returns both outputs."""

    def call(*profiles: Profile, options: tuple[str, ...] = (), status: int = 0) -> tuple[str, str]:
        for profile in profiles:
            (tmp_path / f"{profile.nid}.toml").write_text(to_toml(profile), encoding="utf-8")
        out, err = StringIO(), StringIO()
        with nullcontext() if status == 0 else pytest.raises(SystemExit) as end:
            call_command("load_profiles", tmp_path, *options, stdout=out, stderr=err)
        assert (end.value.code if end else 0) == status
        return out.getvalue(), err.getvalue()

    return call


def imported(nid: str) -> Namespace:
    return Namespace.objects.create(nid=nid, kind=Kind.FORMAL, origin=Origin.IANA)


def summary(**counts: int) -> str:
    outcomes = ("set", "unchanged", "kept", "not registered", "refused")
    listed = ", ".join(f"{counts.get(each.replace(' ', '_'), 0)} {each}" for each in outcomes)
    return f"{sum(counts.values())} profiles: {listed}\n"


@pytest.mark.django_db
def test_profiles_of_registered_namespaces_are_set_once(load: Load) -> None:
    isbn, issn = imported("isbn"), imported("issn")
    out, _ = load(a_profile("isbn"), a_profile("issn"), a_profile("doi"))
    assert out == f"doi: not registered. The namespace is not registered.\n{summary(set=2, not_registered=1)}"
    for namespace in (isbn, issn):
        (version,) = namespace.profile_versions.all()
        assert (version.value, version.set_by) == (a_profile(namespace.nid), None)
    events = Event.objects.count()
    assert load()[0].endswith(summary(unchanged=2, not_registered=1))
    assert Event.objects.count() == events


@pytest.mark.django_db
def test_a_loaded_profile_is_replaced_by_one_that_differs(load: Load) -> None:
    isbn = imported("isbn")
    load(a_profile("isbn"))
    assert load(a_profile("isbn", title="Books"))[0] == summary(set=1)
    assert [each.value.title for each in isbn.profile_versions.all() if each.value] == [
        "Trees of gardens",
        "Books",
    ]


@pytest.mark.django_db
def test_what_a_person_set_or_removed_is_kept(load: Load, administrator: User) -> None:
    changed, removed, same = imported("isbn"), imported("issn"), imported("doi")
    load(a_profile("isbn"), a_profile("issn"), a_profile("doi"))
    by_people = {changed: a_profile("isbn", title="Books"), removed: None, same: a_profile("doi")}
    for namespace, profile in by_people.items():
        set_profile(namespace, by=administrator, profile=profile, basis="Better.", replaces=1)
    out, _ = load(a_profile("isbn", title="Maps"))
    assert "isbn: kept. A person set version 2: Better.\n" in out
    assert "issn: kept. A person set version 2: Better.\n" in out
    assert out.endswith(summary(unchanged=1, kept=2))
    assert ProfileVersion.objects.count() == 6


@pytest.mark.django_db
def test_a_profile_that_is_refused_does_not_stop_the_others(
    load: Load, tmp_path: Path, registrant: User
) -> None:
    registration.register_formal(a_template(syntax="As in urn:example-trees:a:b."), registrant=registrant)
    isbn = imported("isbn")
    (tmp_path / "broken.toml").write_text("title = 1")
    wrong_example = a_profile("issn", examples=("a:b", "1:1", "2:2"))
    out, err = load(a_profile("isbn"), a_profile(), wrong_example, status=1)
    assert "broken: refused. broken.toml: nid: The key is missing. Add it.\n" in err
    assert "example-trees: refused. The registration contains urn:example-trees:a:b, but: " in err
    assert "issn: refused. urn:issn:a:b is an example, but: " in err
    assert out == summary(set=1, refused=3)
    assert list(ProfileVersion.objects.values_list("namespace", flat=True)) == [isbn.pk]


@pytest.mark.django_db
def test_results_are_json_on_request(load: Load) -> None:
    imported("isbn")
    rows = json.loads(load(a_profile("isbn"), a_profile("doi"), options=("--json",))[0])["profiles"]
    assert [(each["nid"], each["outcome"]) for each in rows] == [("doi", "not registered"), ("isbn", "set")]


# Checks


def test_a_check_prints_a_table_and_needs_no_database(load: Load) -> None:
    profile = a_profile(
        ignores_case=True, checks=[{"algorithm": "luhn", "part": "tree"}], pattern="[0-9]+:(?P<tree>[0-9]+)",
        examples=("1:18", "2:18", "3:26"), counterexamples=("1:1", "a", "b"),
    )  # fmt: skip
    out, _ = load(profile, a_profile("isbn", unstated="None is stated."), options=("--check",))
    header, trees, isbn, count = out.splitlines()
    names = ["nid", "title", "grammar", "checks", "equivalence", "examples", "services", "sources", "result"]
    assert header.split() == names
    assert isbn.split() == ["isbn", "Trees", "of", "gardens", "unstated", "3+0", "0", "1", "ok"]
    assert trees.split()[4:] == ["pattern", "luhn", "case", "3+3", "0", "1", "ok"]
    assert count == "2 profiles, 0 with failures"


def test_a_check_names_each_failure(load: Load) -> None:
    wrong = a_profile(examples=("a:b", "1:1", "2:2"), counterexamples=("3:3", "a", "b"))
    out, err = load(wrong, options=("--check",), status=1)
    assert out.splitlines()[1].endswith("2 failed")
    assert [line.partition(" is ")[0] for line in err.splitlines()] == [
        "example-trees: urn:example-trees:a:b",
        "example-trees: urn:example-trees:3:3",
    ]
    (row,) = json.loads(load(options=("--check", "--json"), status=1)[0])["profiles"]
    assert (row["nid"], row["result"], len(row["failures"])) == ("example-trees", "2 failed", 2)


@pytest.mark.parametrize("directory", ["missing", "."])
def test_a_directory_without_profiles_is_a_usage_error(
    directory: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match=r"is not a directory|contains no \.toml file") as caught:
        call_command("load_profiles", tmp_path / directory)
    assert caught.value.returncode == 2


def test_the_demonstration_has_a_profile_of_every_namespace(demonstration_database: Any) -> None:
    without = Namespace.objects.filter(profile=None)
    assert not without.filter(origin=Origin.IANA).exists()
    out = StringIO()
    call_command("load_profiles", stdout=out)
    assert " 0 set, 105 unchanged, 0 kept, 0 not registered, 0 refused" in out.getvalue()
