"""`manage.py erase_person`: what it shows, asks and refuses."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from tests.security.erasure import leaver
from tests.security.erasure.erasing import REASON, account, rows, run
from tests.security.erasure.leaver import ADDRESS, NAME


def test_the_command_shows_what_it_will_erase_and_asks(
    registry: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[None] = []

    def answer(said: str) -> Any:
        return lambda: asked.append(None) or said

    monkeypatch.setattr("builtins.input", answer("someone@example.org"))
    with pytest.raises(CommandError, match="Nothing was erased"):
        run(ADDRESS, "--reason", REASON)
    assert account().name == NAME
    monkeypatch.setattr("builtins.input", answer(ADDRESS))
    shown = run(ADDRESS, "--reason", REASON)
    assert "open case" in shown
    assert "These texts still name the person:\n  registered versions: " in shown
    assert account().name == ""
    assert run(ADDRESS, "--reason", REASON).startswith(f"Nothing is left of {ADDRESS} to erase.\n")
    assert len(asked) == 2


def test_a_dry_run_changes_nothing(registry: None) -> None:
    before = rows()
    said = json.loads(run(ADDRESS, "--reason", REASON, "--dry-run", "--json"))
    (told,) = said["people"]
    assert (told["address"], told["account"], told["done"]) == (ADDRESS, account().pk, False)
    assert told["erased"]
    assert rows() == before


@pytest.mark.exhaustive
def test_a_dry_run_without_a_reason_shows_what_would_be_erased(registry: None) -> None:
    before = rows()
    shown = run(ADDRESS, "--dry-run").splitlines()
    planned = json.loads(run(ADDRESS, "--dry-run", "--json"))["people"][0]
    assert shown[0] == f"{ADDRESS}: would be erased:"
    assert shown[1 : len(planned["erased"]) + 1] == [f"  {each}" for each in planned["erased"]] != []
    assert rows() == before


def test_a_dry_run_with_a_reason_that_names_the_person_is_refused(registry: None) -> None:
    with pytest.raises(CommandError, match="must not contain the name"):
        run(ADDRESS, "--dry-run", "--reason", f"{NAME} left.")


@pytest.mark.exhaustive
def test_an_address_that_is_not_primary_finds_the_account(registry: None) -> None:
    (told,) = json.loads(run(leaver.OTHER_ADDRESS, "--reason", REASON, "--json"))["people"]
    assert (told["account"], told["done"]) == (account().pk, True)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 2),
        ([ADDRESS, "--again", "list"], 2),
        (["--again", "/nowhere/list"], 2),
        ([ADDRESS], 1),
        ([ADDRESS, "--reason", f"{NAME} left."], 1),
    ],
)
def test_exit_status_of_misuse(arguments: list[str], status: int, registry: None) -> None:
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert refusal.value.returncode == status


def test_a_list_of_another_form_is_a_usage_error(registry: None, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(base64.b64encode(b"?").decode())
    with pytest.raises(CommandError, match="Line 1") as refusal:
        run("--again", str(tmp_path / "list"))
    assert refusal.value.returncode == 2
