"""`manage.py grant_role`, which appoints the first administrator."""

import subprocess
import sys
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from registry.accounts.models import Role, RoleName, User
from registry.audit_log.models import Event


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("grant_role", *arguments, stdout=out)
    return out.getvalue()


def test_the_first_administrator_is_appointed_with_an_event_without_actor(
    participant: User,
) -> None:
    assert said("Participant@example.org", "administrator") == (
        "participant@example.org now has the role administrator.\n"
    )
    assert participant.roles == {RoleName.ADMINISTRATOR}
    event = Event.objects.get()
    assert (event.verb, event.actor) == ("grant_role", None)
    assert event.details == {"person": participant.pk, "role": "administrator"}


def test_a_second_time_it_is_held_already(expert: User) -> None:
    before = Event.objects.count()
    assert "already has the role" in said(expert.email, "expert")
    assert Event.objects.count() == before


@pytest.mark.parametrize(
    "address",
    [
        "nobody@example.org",
        "participant@example.org\n",
        "participant@exämple.org",
        "part\u0131cipant@example.org",
        "",
        "participant@example.orgg",
    ],
)
def test_without_an_account_the_sign_up_url_is_printed(participant: User, address: str) -> None:
    with pytest.raises(
        CommandError, match="Sign up first, at http://localhost:8000/accounts/signup/"
    ) as refused:
        said(address, "administrator")
    assert refused.value.returncode == 1
    assert not Role.objects.exists()


@pytest.mark.parametrize("role", ["emperor", "administrator\n", "administratör", "", "administratorr"])
def test_an_unknown_role_is_misuse(participant: User, role: str) -> None:
    with pytest.raises(CommandError, match="invalid choice"):
        said(participant.email, role)
    assert not Role.objects.exists()


@pytest.mark.exhaustive
@pytest.mark.slow
def test_misuse_ends_with_status_2_and_help_has_examples() -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "grant_role", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)

    assert run("somebody@example.org", "emperor").returncode == 2
    shown = run("--help")
    assert shown.returncode == 0
    assert "manage.py grant_role administrator@example.org administrator" in shown.stdout
