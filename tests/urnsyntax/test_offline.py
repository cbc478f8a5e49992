"""`urnsyntax.offline` and the command ``lookup``, with data as the package has it. tests/publication/offline tests the package."""

import json
import sys
import types

import pytest

from tests.urnsyntax.cli.test_command_line import run
from tests.urnsyntax.profiles.samples import mapping
from urnsyntax import InvalidURN, offline
from urnsyntax.offline import NoOfflineData, OfflineRegistry
from urnsyntax.profiles import InvalidProfile

PLAIN = {
    "kind": "formal",
    "registered_on": "2020-01-02",
    "updated_on": None,
    "registrant": "Example Gardens",
    "change_controller": None,
    "organisation": None,
    "url": "https://registry.example.org/namespaces/trees/",
    "deprecation": None,
    "version": None,
    "confirmed_hosts": ["gardens.example"],
}
DEPRECATED = {
    "change_controller": "Gardens United",
    "deprecation": {
        "deprecated_at": "2026-03-04T05:06:07Z",
        "statement": "It is not used.",
        "successor": "trees",
    },
    "version": {"version": 2, "digest": "0" * 64, "registered_at": "2026-01-01T00:00:00Z"},
}
SERVICE = {
    "title": "Page of the tree",
    "kind": "I2C",
    "examples": ["urn:trees:1:2"],
    "source": {"document": "A page", "url": "https://gardens.example/", "stated_on": "2026"},
}
PROFILE = mapping(
    services=[
        {**SERVICE, "template": "https://gardens.example/{garden}/{number}"},
        {**SERVICE, "template": "https://elsewhere.example/{number}", "priority": 1},
    ],
)
PROFILE["sources"][0]["facts"].append("services")
DATA = {
    "about": {
        "format": 1,
        "as_of": "2026-11-30",
        "event": 1234,
        "registry": "https://registry.example.org",
        "head": "",
        "left_out": {"trees": 12_345},
    },
    "namespaces": {"trees": PLAIN, "shrubs": PLAIN | DEPRECATED},
    "profiles": {"trees": PROFILE},
    "subnamespaces": {},
    "unregistered": [{"nid": "moss", "example": "", "used_by": "Gardeners", "source": "A book"}],
}


@pytest.fixture
def installed(monkeypatch):
    """Install data as the package; return the function that does."""

    def install(**changes):
        module = types.ModuleType(offline.MODULE)
        module.__spec__ = types.SimpleNamespace()  # find_spec reads it
        module.read = (DATA | changes).__getitem__
        monkeypatch.setitem(sys.modules, offline.MODULE, module)
        offline.registry.cache_clear()

    yield install
    offline.registry.cache_clear()


def test_without_the_package_a_sentence_says_what_to_install(capsys):
    assert not offline.is_installed()
    with pytest.raises(NoOfflineData, match="urn-registry-data is not installed"):
        offline.registry()
    for command in ("lookup", "check --offline", "lookup --json"):
        code, out, err = run(capsys, *command.split(), "urn:trees:1:2")
        assert (code, out) == (2, [])
        assert "pip install urn-registry-data" in err


def test_a_name_is_looked_up():
    registry = OfflineRegistry(DATA.__getitem__)
    answer = registry.look_up("URN:Trees:1:2")
    assert (answer.as_of, answer.event, answer.namespace) == ("2026-11-30", 1234, PLAIN)
    assert (answer.judgement.conformant, answer.left_out, list(answer.unregistered)) == (True, 12_345, [])
    assert [(found.address, confirmed) for found, confirmed in answer.services] == [
        ("https://gardens.example/1/2", True),
        ("https://elsewhere.example/2", False),
    ]
    wrong = registry.look_up("urn:trees:1234:2")
    assert (wrong.judgement.conformant, wrong.services) == (False, ())
    with pytest.raises(InvalidURN):
        registry.look_up("trees")


def test_what_is_not_known_is_none():
    registry = OfflineRegistry(DATA.__getitem__)
    shrubs, moss, fern = (registry.look_up(f"urn:{nid}:1") for nid in ("shrubs", "moss", "fern"))
    assert (shrubs.judgement, shrubs.services, shrubs.left_out) == (None, (), 0)
    assert (moss.namespace, list(moss.unregistered)) == (None, DATA["unregistered"])
    assert (fern.namespace, list(fern.unregistered)) == (None, [])
    proofs = {"about": DATA["about"] | {"left_out": {"proofs": 105}}}
    assert OfflineRegistry((DATA | proofs).__getitem__).look_up("urn:proofs:1").left_out == 0
    assert registry.equivalence_rules("shrubs") is None
    assert registry.equivalence_rules("TREES") == ()
    assert list(registry.profiles) == [registry.profiles.get("trees")]


def test_sub_namespaces_are_looked_up():
    level = {
        "of": "",
        "name": "garden",
        "coverage": "complete",
        "source": {"document": "A list", "url": "https://gardens.example/", "stated_on": "2026"},
    }
    data = DATA | {
        "profiles": {"trees": mapping(levels=[level])},
        "subnamespaces": {
            "trees": [{"prefix": "12", "title": "Garden of the town", "holder": "Example Town"}]
        },
    }
    registry = OfflineRegistry(data.__getitem__)
    [found] = registry.look_up("urn:trees:12:5").judgement.subnamespaces
    assert (found.title, found.holder) == ("Garden of the town", "Example Town")
    assert registry.look_up("urn:trees:13:5").judgement.conformant is False
    assert registry.profiles.judge("urn:trees:13:5").conformant is False


def test_newer_data_says_what_to_update(installed, capsys):
    about = DATA["about"] | {"format": 2}
    installed(about=about)
    with pytest.raises(NoOfflineData, match="has the format 2, and this version of urnsyntax reads 1"):
        offline.registry()
    assert run(capsys, "lookup", "urn:trees:1:2")[0] == 2


def test_a_key_of_a_newer_profile_says_what_to_update(installed, capsys):
    installed(profiles={"trees": PROFILE | {"colour": "green"}})
    with pytest.raises(InvalidProfile, match="colour"):
        offline.registry().look_up("urn:trees:1:2")
    for command in ("lookup", "check --offline"):
        code, _, err = run(capsys, *command.split(), "urn:trees:1:2")
        assert code == 2
        assert "urn-registry-data is newer than this program. Update urnsyntax." in err


def test_the_answer_as_text(installed, capsys):
    installed()
    code, out, _ = run(capsys, "lookup", "urn:trees:1:2")
    assert (code, out) == (
        0,
        [
            "registered: urn:trees:1:2",
            "  namespace    trees, formal, since 2020-01-02",
            "  registrant   Example Gardens",
            "  conforms     yes",
            "  names        Trees of gardens",
            "  canonical    urn:trees:1:2",
            "  resolves at  https://gardens.example/1/2 (I2C: Page of the tree)",
            "  resolves at  https://elsewhere.example/2 (I2C: Page of the tree; the registry has not confirmed the host)",
            "  note         The 12,345 sub-namespaces of the namespace are not in this package.",
            "  as of        2026-11-30, event 1,234 of https://registry.example.org",
        ],
    )


def test_deprecated_wrong_and_unregistered_names(installed, capsys):
    installed()
    code, out, err = run(
        capsys, "lookup", "urn:shrubs:1", "urn:trees:1:x", "urn:moss:1", "urn:x-local:1", "trees"
    )
    assert code == 1
    assert "  controller   Gardens United" in out
    assert f"  text         version 2, SHA-256 {'0' * 64}" in out
    assert "  deprecated   on 2026-03-04: It is not used." in out
    assert "  successor    trees" in out
    [conforms] = [each for each in out if "conforms" in each]
    assert conforms.startswith("  conforms     no: ")
    assert conforms.endswith(" is expected (position 12)")
    assert "not registered: urn:moss:1" in out
    assert "  in use       by Gardeners, without a registration (A book)" in out
    assert any(each.startswith("  note         The NID cannot be registered.") for each in out)
    assert '"trees" is not a URN' in err


def test_the_answer_as_json(installed, capsys):
    installed()
    code, lines, _ = run(capsys, "lookup", "--json", "urn:trees:1:2", "urn:moss:1", "moss")
    trees, moss, no_urn = map(json.loads, lines)
    assert code == 1
    assert (trees["registered"], trees["conformant"], trees["namespace"]) == (True, True, PLAIN)
    assert trees["services"][0] == {
        "kind": "I2C",
        "title": "Page of the tree",
        "address": "https://gardens.example/1/2",
        "host": "gardens.example",
        "host_confirmed": True,
    }
    assert (trees["left_out"], trees["as_of"], trees["event"]) == (12_345, "2026-11-30", 1234)
    assert (moss["registered"], moss["unregistered"]) == (False, DATA["unregistered"])
    assert no_urn["valid"] is False


def test_check_says_as_of_when_and_what_is_left_out(installed, capsys):
    installed()
    code, out, _ = run(capsys, "check", "--offline", "urn:trees:1:2")
    assert (code, out[0]) == (0, "good: urn:trees:1:2")
    assert out[-2:] == [
        "  as of        2026-11-30, event 1,234 of https://registry.example.org",
        "  note         The package lacks the sub-namespaces of trees.",
    ]
    code, out, _ = run(capsys, "check", "--offline", "--json", "urn:trees:1:x")
    assert code == 1
    assert json.loads(out[-1]) == {
        "as_of": "2026-11-30",
        "event": 1234,
        "registry": "https://registry.example.org",
        "left_out": {"trees": 12_345},
    }
    assert run(capsys, "check", "--offline", "--profiles", ".", "urn:trees:1:2")[0] == 2


def test_names_are_compared_by_its_rules(installed, capsys, monkeypatch, tmp_path):
    rules = PROFILE | {"names": PROFILE["names"] | {"ignores_case": True}}
    installed(profiles={"trees": rules})
    monkeypatch.setattr("urnsyntax.cli.profiles.OF_THE_REGISTRY", tmp_path / "missing")
    code, out, _ = run(capsys, "compare", "urn:trees:1:2/a", "urn:trees:1:2/A")
    assert (code, out[0], out[-1]) == (
        0,
        "equivalent by the rules of “trees”",
        "  by the rules as of 2026-11-30",
    )
    code, out, _ = run(capsys, "compare", "urn:shrubs:a", "urn:shrubs:A")
    assert code == 1
    assert "the rules of the namespace are not known" in out[1]


def test_without_the_packages_of_profiles_the_registration_is_known(installed, capsys, monkeypatch):
    installed()
    monkeypatch.setattr("urnsyntax.cli.profiles._PACKAGES", {"no_such_module": "no-such-package"})
    code, out, _ = run(capsys, "lookup", "urn:trees:1:2")
    assert (code, out[:3]) == (
        0,
        [
            "registered: urn:trees:1:2",
            "  namespace    trees, formal, since 2020-01-02",
            "  registrant   Example Gardens",
        ],
    )
    assert "  note         The rules of the namespace were not applied." in out[-2]
    assert not any("resolves at" in each for each in out)
    assert run(capsys, "check", "--offline", "urn:trees:1:2")[0] == 2
