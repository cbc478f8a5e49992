"""The files in `docs/deployment/` agree with the registry: metrics, commands, sizes, settings and runbooks."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from configparser import ConfigParser
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from registry.core.validators import BodySize
from registry.environment import SETTINGS
from tests.contracts.test_documentation import flags_of
from tests.support.guides import with_archive

FILES = Path(settings.BASE_DIR, "docs", "deployment")
OPERATIONS = Path(settings.BASE_DIR, "docs", "operations.md").read_text("utf-8")
GUIDE = Path(settings.BASE_DIR, "docs", "deployment.md").read_text("utf-8")
UNITS = sorted((FILES / "systemd").glob("*.service"))
TIMERS = sorted((FILES / "systemd").glob("*.timer"))
RULES = yaml.safe_load((FILES / "prometheus" / "alerts.yaml").read_text("utf-8"))["groups"][0]["rules"]


def name_of(path: Path) -> str:
    return path.name


def test_the_guide_names_every_kind_of_file() -> None:
    kinds = {path.relative_to(FILES).parts[0] for path in FILES.rglob("*") if path.is_file()}
    assert {kind for kind in kinds if f"deployment/{kind}" not in GUIDE + OPERATIONS} == set()


def test_no_command_of_the_guide_comes_before_its_environment() -> None:
    """A command without PUBLIC_ORIGIN and DATABASE_URL is one of the demonstration."""
    before, _, after = GUIDE.partition("Set the environment variables")
    assert re.findall("^.*python manage.py.*$", before, re.MULTILINE) == []
    assert "manage.py make_signing_key" in after


# Alerts


def named_in(expression: str) -> set[str]:
    """The metrics that an expression names, without the suffixes of a histogram."""
    named = set(re.findall(r"\b(registry_\w+|up)\b", expression))
    return {re.sub("_(bucket|count|sum)$", "", name) for name in named}


@pytest.fixture
def exported(read_metrics: Callable[[], str], db: None) -> set[str]:
    """The metrics that exist."""
    return set(re.findall(r"^# TYPE (registry_\w+)", read_metrics(), re.MULTILINE))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_the_metrics_of_an_alert_exist(rule: dict[str, Any], exported: set[str]) -> None:
    assert named_in(rule["expr"])
    assert named_in(rule["expr"]) <= exported | {"up"}
    assert rule["expr"].count("(") == rule["expr"].count(")")
    assert rule.keys() == {"alert", "expr", "for", "labels", "annotations"}
    assert re.fullmatch("[0-9]+[smhd]", rule["for"])


def test_the_dashboard_shows_every_metric_and_every_alert(exported: set[str]) -> None:
    panels = json.loads((FILES / "grafana.json").read_text("utf-8"))["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    assert all(each.count("(") == each.count(")") for each in expressions)
    shown = set().union(*map(named_in, expressions))
    # prometheus_client adds the time at which each series was created.
    assert shown - {"up"} == {each for each in exported if not each.endswith("_created")}
    assert set().union(*(named_in(each["expr"]) for each in RULES)) <= shown
    described = " ".join(panel["description"] for panel in panels)
    assert {each["alert"] for each in RULES if each["alert"] not in described} == set()
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_each_alert_has_a_line_in_the_runbook() -> None:
    assert re.findall(r"^\| (Registry\w+) \|", OPERATIONS, re.MULTILINE) == [each["alert"] for each in RULES]


def test_the_archive_of_patroni_needs_only_its_comments_removed() -> None:
    text = (FILES / "patroni.yaml").read_text("utf-8")
    configuration = yaml.safe_load(with_archive(text))
    parameters = configuration["bootstrap"]["dcs"]["postgresql"]["parameters"]
    (command,) = re.findall(r"^archive_command = '(.+)'$", OPERATIONS, re.MULTILINE)
    assert (parameters["archive_mode"], parameters["archive_command"]) == ("on", command)
    assert parameters["archive_timeout"] == "60s"
    restore = configuration["postgresql"]["recovery_conf"]["restore_command"]
    assert restore == command.replace("archive-push %p", "archive-get %f %p")


# Units


def unit(path: Path) -> ConfigParser:
    parser = ConfigParser(interpolation=None, strict=False, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(path.read_text("utf-8"))
    return parser


@pytest.mark.parametrize("path", UNITS, ids=name_of)
def test_a_unit_starts_a_program_that_exists(path: Path) -> None:
    assert path.name.startswith("urn-registry-")  # so that the sandbox applies
    words = shlex.split(unit(path)["Service"]["ExecStart"])
    if "manage.py" in words:
        command, *arguments = words[words.index("manage.py") + 1 :]
        assert command in get_commands()
        assert {each for each in arguments if each.startswith("--")} <= flags_of(command)
    else:
        assert words[0].rpartition("/")[2] in {"granian", "logger", "sh"}


def test_a_failed_verification_or_backup_is_reported() -> None:
    reported = {path.name for path in UNITS if "OnFailure" in unit(path)["Unit"]}
    assert reported == {"urn-registry-verify.service", "urn-registry-backup.service"}
    for name in reported:
        called = unit(FILES / "systemd" / name)["Unit"]["OnFailure"]
        assert (FILES / "systemd" / called.replace("%n", "")).exists()


def test_the_web_processes_have_the_options_of_the_guide() -> None:
    (line,) = re.findall(r"^\.venv/bin/granian ((?:.+\\\n)+.+)$", GUIDE, re.MULTILINE)
    words = shlex.split(unit(FILES / "systemd" / "urn-registry-web.service")["Service"]["ExecStart"])
    assert " ".join(words[1:]) == " ".join(line.replace("\\\n", " ").replace("--workers 2 ", "").split())


@pytest.mark.parametrize("guide", ["deployment.md", "deployment/upgrades.md"])
def test_the_guide_compiles_what_the_processes_import(guide: str, tmp_path: Path) -> None:
    """The processes cannot write bytecode."""
    text = Path(settings.BASE_DIR, "docs", guide).read_text("utf-8")
    (command,) = re.findall(r"^\.venv/bin/(python -m compileall .+)$", text, re.MULTILINE)
    sources = [tmp_path / package / "module.py" for package in ("registry", "urnsyntax")]
    for source in sources:
        source.parent.mkdir()
        source.touch()
    subprocess.run([sys.executable, *shlex.split(command)[1:]], cwd=tmp_path, check=True, timeout=60)
    assert all(Path(cache_from_source(str(source))).exists() for source in sources)


def test_the_folder_of_metrics_is_that_of_the_example() -> None:
    """The file of variables overrides those of the unit."""
    service = unit(FILES / "systemd" / "urn-registry-web.service")["Service"]
    folder = SETTINGS["PROMETHEUS_MULTIPROC_DIR"].example
    assert folder == f"/run/{service['RuntimeDirectory']}"
    assert f"PROMETHEUS_MULTIPROC_DIR={folder}" in service["Environment"].split()


@pytest.mark.parametrize("path", TIMERS, ids=name_of)
def test_a_timer_starts_a_service_that_ends(path: Path) -> None:
    assert path.with_suffix(".service") in UNITS
    assert unit(path.with_suffix(".service"))["Service"]["Type"] == "oneshot"
    assert unit(path)["Timer"].keys() == {"OnCalendar", "Persistent"}


def test_the_sandbox_allows_nothing_that_is_not_needed() -> None:
    sandbox = unit(FILES / "systemd" / "urn-registry-.service.d" / "sandbox.conf")["Service"]
    expected = {
        "User": "urn-registry",
        "NoNewPrivileges": "yes",
        "CapabilityBoundingSet": "",
        "ProtectSystem": "strict",
        "ProtectHome": "yes",
        "PrivateTmp": "yes",
        "SystemCallFilter": "@system-service",
    }
    assert dict(sandbox) | expected == dict(sandbox)


# Proxies


@pytest.mark.parametrize(
    ("file", "size", "headers"),
    [
        ("nginx.conf", r"client_max_body_size (\d+)m;", r"proxy_set_header (\S+) \S+;"),
        ("Caddyfile", r"max_size (\d+)MiB", r"header_up ([A-Z]\S*) \S+"),
    ],
)
def test_a_proxy_replaces_headers_and_accepts_the_largest_body(file: str, size: str, headers: str) -> None:
    text = (FILES / file).read_text("utf-8")
    assert {"X-Forwarded-For", "X-Forwarded-Proto", "Clientaddress"} <= set(re.findall(headers, text))
    assert [int(each) * 1024**2 for each in re.findall(size, text)] == [3 * 1024**2]
    assert max(BodySize) <= 3 * 1024**2
    assert text.count("{") == text.count("}")
