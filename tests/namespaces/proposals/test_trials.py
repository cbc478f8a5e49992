"""A trial shows where each proposed service leads for an example, as the resolution of the profile would."""

import socket
from typing import Any

import dns.resolver
import pytest

from registry.namespaces.proposals.applying import apply_proposal
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.namespaces.proposals.trials import Trial, proposed_hosts, try_services
from registry.registration_template.template import RegistrationTemplate
from tests.namespaces.proposals.samples import SERVICES, a_proposal
from tests.support.factories import a_profile, a_template
from tests.support.services import a_service
from urnsyntax.profiles import Profile

NID = "example-trees"


def trial(
    proposed: ProposedProfile,
    current: Profile | None = None,
    template: RegistrationTemplate | None = None,
    nid: str = NID,
) -> Trial:
    found = try_services(proposed, template or a_template(), current, nid=nid)
    assert found is not None
    return found


def test_the_addresses_are_those_of_the_profile_and_no_request_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a trial opens no connection")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(dns.resolver, "resolve", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    proposed = a_proposal(services=SERVICES)
    found = trial(proposed)
    assert (found.urn, [each.address for each in found.services]) == (
        "urn:example-trees:12:4711",
        ["https://gardens.example/trees/4711?garden=12", "https://gardens.example/names/12%3A4711"],
    )
    profile = apply_proposal(proposed, None, nid=NID, subjects=("science",))
    assert [each.address for each in profile.services_for(found.urn)] == [
        each.address for each in found.services
    ]


@pytest.mark.parametrize(
    ("examples", "current", "urn"),
    [
        ("oak\nurn:isbn:1\nURN:Example-Trees:7:7  Oak", None, "URN:Example-Trees:7:7"),
        ("", a_profile(examples=("5:5", "6:6", "7:7")), "urn:example-trees:5:5"),
        ("", None, "urn:example-trees:12:4711"),  # in the text
    ],
)
def test_the_example_is_that_of_the_proposal_the_profile_or_the_text(
    examples: str, current: Profile | None, urn: str
) -> None:
    proposed = ProposedProfile(services="I2C https://a.example/{nss}  Page", examples=examples)
    assert trial(proposed, current).urn == urn


def test_a_name_without_an_address_has_a_reason() -> None:
    services = "I2C https://a.example/{leaf}  Leaf\nI2C https://a.example/{+nss}  Page"
    abnf = 'tree = 1*DIGIT [ "/" leaf ]\nleaf = 1*(ALPHA / ".")'
    found = trial(ProposedProfile(services=services, abnf=abnf, examples="urn:example-trees:1"))
    assert [(each.address, each.reason) for each in found.services] == [
        ("", "The name lacks a part that the service needs, or has another value of it."),
        ("https://a.example/1", ""),
    ]
    found = trial(ProposedProfile(services=services, abnf=abnf, examples="urn:example-trees:1/.."))
    assert [each.reason.partition(" or ")[0] for each in found.services] == [
        "The address would have the segment “.”"
    ] * 2
    found = trial(ProposedProfile(services=services, abnf=abnf, examples="urn:example-trees:x"))
    assert all(each.reason and not each.address for each in found.services)


def test_lines_with_a_fault_are_left_out() -> None:
    services = (
        "I2C https://a.example/{nss}\nI2X https://a.example/{nss}  B\nI2C https://a.example/{leaf}  C\n"
    )
    found = trial(a_proposal(services=f"{services}I2C https://a.example/{{nss}}  D"))
    assert [each.service.title for each in found.services] == ["D"]


def test_a_service_of_the_current_profile_keeps_its_conditions() -> None:
    current = a_profile(services=[a_service(NID, only={"nss": ["12:*"]})])
    proposed = ProposedProfile(
        services="I2C https://trees.example/{nss}  Page", examples="urn:example-trees:13:1"
    )
    [tried] = trial(proposed, current).services
    assert tried.reason.startswith("The name lacks a part")


@pytest.mark.parametrize(
    ("proposed", "nid"),
    [
        (a_proposal(), NID),
        (a_proposal(services="I2C https://{nss}/  Page"), NID),
        (a_proposal(services=SERVICES, abnf="tree = leaf"), NID),
        (a_proposal(services=SERVICES), ""),
        (a_proposal(services=SERVICES), "other"),
    ],
    ids=["no service", "no sound service", "no sound grammar", "no NID", "no example"],
)
def test_there_is_no_trial_without_services_an_example_or_a_grammar_that_can_be_read(
    proposed: ProposedProfile, nid: str
) -> None:
    assert try_services(proposed, a_template(), None, nid=nid) is None


def test_the_example_of_an_informal_namespace_has_no_number_yet() -> None:
    proposed = ProposedProfile(services="I2C https://a.example/urn:urn-N:{nss}  Page", examples="urn:urn-N:1")
    [tried] = trial(proposed, nid="urn-n").services
    assert tried.address == "https://a.example/urn:urn-N:1"


def test_the_hosts_are_those_of_the_lines_without_a_fault() -> None:
    assert proposed_hosts(
        a_proposal(services=f"{SERVICES}\nI2C https://b.example/\nI2C http://c.example/ C")
    ) == ["gardens.example"]
