"""`urn.arpa.zone`: NAPTR records, read by dnspython and applied as a client of DDDS does."""

import re
from collections.abc import Iterator

import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.zone
import pytest
from django.conf import settings
from django.test import Client, override_settings
from dns.rdtypes.IN.NAPTR import NAPTR
from hypothesis import given
from hypothesis import strategies as st

from registry.accounts.models import User
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.publication.formats.export_formats import FILES
from registry.publication.formats.naptr_records import (
    HEAD,
    ZONE,
    UnwritableRecord,
    character_string,
    substitution,
)
from registry.resolution.actions import confirm_host
from tests.support.services import a_service, with_profile, with_services
from urnsyntax.profiles import load_profiles

ORIGIN = "https://registry.example"
APEX = """\
urn.arpa. 3600 IN SOA ns.example. hostmaster.example. 1 7200 3600 1209600 3600
urn.arpa. 3600 IN NS ns.example.
"""


@pytest.fixture(autouse=True)
def _origin() -> Iterator[None]:
    with override_settings(PUBLIC_ORIGIN=ORIGIN):
        yield


def written() -> str:
    return b"".join(FILES["urn.arpa.zone"].write()).decode("ascii")


def records() -> dict[str, list[NAPTR]]:
    """The records by NID, in the order in which a client tries them."""
    zone = dns.zone.from_text(APEX + written(), origin=ZONE, relativize=True)
    found: dict[str, list[NAPTR]] = {}
    for name, _, record in zone.iterate_rdatas(dns.rdatatype.NAPTR):
        found.setdefault(name.to_text(), []).append(record)
    return {nid: sorted(each, key=lambda one: (one.order, one.preference)) for nid, each in found.items()}


def rewritten(record: NAPTR, urn: str) -> str | None:
    """What the rule of a record makes of a URN (RFC 3402, Section 3.2); None if it does not match."""
    rule = record.regexp.decode("ascii")
    expression, replacement, flags = re.split(rf"(?<!\\){re.escape(rule[0])}", rule[1:])
    found = re.search(expression, urn, re.IGNORECASE if "i" in flags else 0)
    return re.sub(r"\\([1-9])", lambda group: found[int(group[1])], replacement) if found else None


@pytest.mark.django_db
def test_a_registry_without_services_has_no_records() -> None:
    with_services("bare")
    assert written() == HEAD
    assert records() == {}


@pytest.mark.django_db
def test_each_kind_of_service_of_a_namespace_has_one_record(administrator: User) -> None:
    kinds = ["I2C", "I2R", "I2C", "I2Ls"]
    templates = [f"https://trees.example/{number}/{{nss}}" for number in range(len(kinds))]
    services = [a_service(kind=kind, template=each) for kind, each in zip(kinds, templates, strict=True)]
    deprecate(with_services("trees", *services), by=administrator, statement="No more.")
    (found,) = records().values()
    assert [(each.flags, each.service, each.replacement.to_text()) for each in found] == [
        (b"u", b"https+I2Ls", "."),
        (b"u", b"https+I2R", "."),
        (b"u", b"https+I2C", "."),
    ]
    assert len({(each.order, each.preference) for each in found}) == len(found)
    set_profile(Namespace.objects.get(), by=administrator, profile=None, basis="Wrong.", replaces=1)
    assert records() == {}


@pytest.mark.django_db
def test_the_rules_rewrite_every_example_of_the_profiles() -> None:
    profiles = [each for each in load_profiles(settings.BASE_DIR / "fixtures" / "profiles") if each.services]
    for profile in profiles:
        with_profile(profile)
    found = records()
    assert found.keys() == {profile.nid for profile in profiles}
    rewritings = 0
    for profile in profiles:
        offered = {service.kind for service in profile.services}
        assert {each.service.decode().partition("+")[2] for each in found[profile.nid]} == offered
        for record in found[profile.nid]:
            kind = record.service.decode().partition("+")[2]
            for urn in (each for service in profile.services for each in service.examples):
                assert rewritten(record, urn) == f"{ORIGIN}/uri-res/{kind}?{urn}"
                rewritings += 1
    assert rewritings > 50


@pytest.mark.django_db
def test_the_registry_leads_from_the_rewritten_urn_to_the_service(
    client: Client, administrator: User
) -> None:
    trees = with_services("trees", a_service(kind="I2L"))
    confirm_host(trees, by=administrator, host="trees.example", basis="administrator", evidence="Checked.")
    ((record,),) = records().values()
    address = rewritten(record, "URN:trees:12:4711")
    assert address
    response = client.get(address.removeprefix(ORIGIN))
    assert (response.status_code, response["Location"]) == (303, "https://trees.example/12%3A4711")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("urn", "is_rewritten"),
    [
        ("urn:trees:12:4711", True),
        ("URN:Trees:12:4711?=lang=en", True),
        ("urn:trees:a%2Fb", True),
        ("urn:trees2:12:4711", False),
        ("urn:tree:12:4711", False),
        ("urn:trees:", False),
        ("x-urn:trees:12:4711", False),
    ],
)
def test_a_rule_takes_the_urns_of_its_namespace_only(urn: str, is_rewritten: bool) -> None:
    with_services("trees", a_service(kind="I2L"))
    ((record,),) = records().values()
    assert rewritten(record, urn) == (f"{ORIGIN}/uri-res/I2L?{urn}" if is_rewritten else None)


@pytest.mark.django_db
def test_the_protocol_is_the_scheme_of_the_registry() -> None:
    with_services("trees", a_service(kind="I2L"))
    with override_settings(PUBLIC_ORIGIN="http://localhost:8000"):
        ((record,),) = records().values()
    assert record.service == b"http+I2L"
    assert rewritten(record, "urn:trees:1:1") == "http://localhost:8000/uri-res/I2L?urn:trees:1:1"


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=255))
def test_dns_software_reads_every_text_as_it_is(text: str) -> None:
    record = dns.rdata.from_text(
        dns.rdataclass.IN, dns.rdatatype.NAPTR, f'1 1 "u" "" {character_string(text)} .'
    )
    assert record.regexp == text.encode("ascii")


def test_a_rule_that_no_record_can_contain_is_refused() -> None:
    for origin in (f"https://{'x' * 220}.example", "https://bäume.example"):
        with (
            override_settings(PUBLIC_ORIGIN=origin),
            pytest.raises(UnwritableRecord, match="Set a shorter PUBLIC_ORIGIN"),
        ):
            character_string(substitution("trees", "I2L"))
