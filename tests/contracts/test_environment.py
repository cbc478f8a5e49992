"""Environment variables are declared in `registry/environment.py`, and read through it alone."""

import re
from pathlib import Path

import pytest
from django.conf import global_settings, settings
from django.core.exceptions import ImproperlyConfigured

from registry import environment
from registry import settings as declared
from registry.environment import SETTINGS, Kind, Setting

ROOT = Path(settings.BASE_DIR)
DIRECT = re.compile(r"""os\.environ(?:\.get|\.pop)?[\[(]\s*"([A-Z][A-Z0-9_]*)"\]?(?!\s*\]?\s*=)""")
DECLARED = re.compile(r"""\bread\("([A-Z][A-Z0-9_]*)"\)""")


def sources() -> dict[str, str]:
    files = [*(ROOT / "registry").rglob("*.py"), ROOT / "manage.py", ROOT / "run.py"]
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_each_declared_variable_is_read() -> None:
    assert {name for text in sources().values() for name in DECLARED.findall(text)} == SETTINGS.keys()


def test_no_other_module_reads_the_environment_directly() -> None:
    reading = {path: set(DIRECT.findall(text)) for path, text in sources().items()}
    # run.py uses it before Django is installed, to refuse a real database.
    assert {path: names for path, names in reading.items() if names} == {
        "registry/environment.py": {"DATABASE_URL"},
        "registry/core/database/connections.py": {"PGOPTIONS"},  # a variable of libpq
        "run.py": {"DATABASE_URL", "PYTHONDONTWRITEBYTECODE"},
    }


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", "postgres://registry@db.example.org/registry")
    return monkeypatch


@pytest.mark.parametrize("name", [name for name, setting in SETTINGS.items() if setting.required])
def test_a_deployment_must_set_what_is_required(deployed: pytest.MonkeyPatch, name: str) -> None:
    for value in (None, ""):
        deployed.setenv(name, value) if value is not None else None
        with pytest.raises(ImproperlyConfigured, match=rf"Set {name} .*docs/configuration\.md"):
            environment.read(name)
    deployed.delenv("DATABASE_URL")
    assert environment.read(name)


@pytest.mark.parametrize("name", [name for name, setting in SETTINGS.items() if not setting.required])
def test_an_empty_value_counts_as_not_set(deployed: pytest.MonkeyPatch, name: str) -> None:
    if name != "DATABASE_URL":
        unset = environment.read(name)
        deployed.setenv(name, "")
        assert environment.read(name) == unset == SETTINGS[name].parse(SETTINGS[name].default)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Kind.TEXT, " a b ", " a b "),
        (Kind.LIST, " a  b ", ["a", "b"]),
        (Kind.NUMBER, "0", 0),
        (Kind.NUMBER, "0600", 600),
        (Kind.PORT, "65535", 65535),
        (Kind.SWITCH, "1", True),
        (Kind.SWITCH, "0", False),
        (Kind.LEVEL, "INFO", "INFO"),
        (
            Kind.CONTACTS,
            "mailto:a@example.org  https://example.org/report",
            ["mailto:a@example.org", "https://example.org/report"],
        ),
    ],
)
def test_a_value_has_the_type_of_its_kind(kind: Kind, text: str, value: object) -> None:
    assert Setting("NAME", kind, "").parse(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.NUMBER, "ten"),
        (Kind.NUMBER, "-1"),
        (Kind.NUMBER, "1.5"),
        (Kind.NUMBER, "٣"),
        (Kind.NUMBER, "5\n"),
        (Kind.PORT, "0"),
        (Kind.PORT, "65536"),
        (Kind.SWITCH, "yes"),
        (Kind.LEVEL, "info"),
        (Kind.HTTPS, "http://hub.example.org/"),
        (Kind.HTTPS, 'https://hub.example.org/">'),
        (Kind.WITNESSES, "https://witness.example.org/"),
        (Kind.WITNESSES, "witness.example.org+1c0a2b3c+BAAA http://witness.example.org/"),
        (Kind.AUTHORITIES, "/etc/urn-registry/root.pem https://timestamp.example.org/"),
        (Kind.CONTACTS, "security@example.org"),
        (Kind.CONTACTS, "mailto:a@example.org http://example.org/"),
        (Kind.CONTACTS, "https://example.org/\nContact:"),
    ],
)
def test_a_malformed_value_is_refused_with_the_name_of_its_variable(kind: Kind, text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^NAME is .*; expected: "):
        Setting("NAME", kind, "").parse(text)


def test_every_default_is_a_value_of_its_kind() -> None:
    for setting in SETTINGS.values():
        for text in (setting.default, setting.demonstration, setting.example):
            if text:
                setting.parse(text)
        assert setting.default or setting.kind in {
            Kind.TEXT,
            Kind.LIST,
            Kind.CONTACTS,
            Kind.HTTPS,
            Kind.HEADER,
            Kind.WITNESSES,
            Kind.AUTHORITIES,
        }
        assert not (setting.required and setting.default)


def test_every_default_is_documented() -> None:
    """Also one that differs in the demonstration, such as that of REQUIRE_SECOND_FACTOR."""
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|", page, re.MULTILINE))
    assert {
        each.name for each in SETTINGS.values() if f"`{each.default}`" not in rows[each.name] and each.default
    } == set()


def test_no_setting_repeats_a_default_of_django() -> None:
    """A setting that equals Django's default decides nothing. Those read from the environment may be equal."""
    modules = "".join(sources()[f"registry/{name}.py"] for name in ("settings", "accounts/settings"))
    named = re.findall(r"^([A-Z][A-Z_]+)(?:: \S+)? = (?!read)", modules, re.MULTILINE)
    repeated = {
        name
        for name in named
        if hasattr(global_settings, name) and getattr(global_settings, name) == getattr(declared, name)
    }
    assert repeated <= {"STORAGES"}  # tests/conftest.py replaces its value
