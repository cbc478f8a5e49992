"""`manage.py check_services`: what it prints, and its exit status."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from registry.resolution.models import ListedService, ServiceHealth
from tests.resolution.health.conftest import Serve
from tests.support.https_servers import Exchange, FakeDNS
from tests.support.services import a_service, with_services

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> tuple[str, int]:
    """The output of the command, and its exit status."""
    output = StringIO()
    try:
        call_command("check_services", *arguments, stdout=output)
    except SystemExit as end:
        return output.getvalue(), int(end.code or 0)
    return output.getvalue(), 0


@pytest.fixture
def services(serve: Serve) -> None:
    works = serve(Exchange.reply, "works.example")
    fails = serve(lambda exchange: exchange.reply("404 Not Found"), "fails.example")
    refuses = serve(lambda exchange: exchange.reply("403 Forbidden"), "refuses.example")
    for nid, host, server in (
        ("works", "works", works),
        ("fails", "fails", fails),
        ("refuses", "refuses", refuses),
    ):
        with_services(nid, a_service(template=f"https://{host}.example:{server.port}/{{nss}}"))


def test_it_prints_each_service_and_fails_if_one_fails(services: None) -> None:
    output, status = run()
    assert status == 1
    assert output.splitlines() == [
        "fails        fails     Catalogue of trees (fails.example): The reply to urn:fails:12:4711 is 404 Not Found.",
        (
            "refuses      undecided Catalogue of trees (refuses.example): The reply to urn:refuses:12:4711 is "
            "403 Forbidden. The server may refuse programs only."
        ),
        "works        works     Catalogue of trees (works.example): The reply to urn:works:12:4711 is 200 OK.",
        "3 services checked: 1 failed, 0 changed their health",
    ]
    assert dict(ListedService.objects.values_list("nid", "state")) == {
        "fails": "unknown",
        "refuses": "unknown",
        "works": "works",
    }


@pytest.mark.parametrize("nid", ["works", "WORKS", "refuses"])
def test_it_succeeds_if_none_of_the_chosen_fails(services: None, nid: str) -> None:
    output, status = run("--nid", nid)
    assert status == 0
    assert output.splitlines()[-1] == "1 service checked: 0 failed, 0 changed their health"


def test_json_has_the_results_and_the_changes(services: None) -> None:
    for _ in range(2):
        run("--nid", "fails")
    output, status = run("--nid", "fails", "--nid", "works", "--json")
    report: Any = json.loads(output)
    assert status == 1
    assert [each["outcome"] for each in report["results"]] == ["fails", "works"]
    assert report["results"][0].keys() == {"nid", "title", "template", "outcome", "detail"}
    (change,) = report["changes"]
    assert (change["nid"], change["before"], change["after"]) == ("fails", "unknown", "degraded")


def test_a_nid_without_services_is_a_usage_error(services: None) -> None:
    with_services("bare")
    with pytest.raises(CommandError, match=r"no services of bare, nothing\. `manage\.py check") as refusal:
        run("--nid", "bare", "--nid", "works", "--nid", "nothing")
    assert refusal.value.returncode == 2
    assert not ServiceHealth.objects.exists()


def test_a_network_that_is_down_is_an_error(dns: FakeDNS) -> None:
    for nid in ("aaa", "bbb", "ccc"):
        with_services(nid, a_service(template=f"https://{nid}.example/{{nss}}"))
    with pytest.raises(CommandError, match=r"The network can't be reached\. None of 3 hosts") as refusal:
        run()
    assert refusal.value.returncode == 1


def test_a_registry_without_services_has_nothing_to_check(db: None) -> None:
    assert run() == ("0 services checked: 0 failed, 0 changed their health\n", 0)


def test_the_help_has_examples_and_the_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("check_services", "--help")
    shown = capsys.readouterr().out
    assert "manage.py check_services --nid ietf" in shown
    assert "exit status: 0 no service fails; 1" in shown
