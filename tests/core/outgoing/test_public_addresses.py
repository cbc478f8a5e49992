"""Which addresses a request may go to: none of this machine, its network or its cloud provider."""

from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import pytest
from dns import resolver

from registry.core.outgoing.public_addresses import (
    MAX_ADDRESSES,
    AddressNotPublic,
    HostNotFound,
    is_public,
    public_addresses,
)
from tests.support.https_servers import FakeDNS

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001::200e",
    "64:ff9b::808:808",  # 8.8.8.8 by NAT64
]
NOT_PUBLIC = [
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.100.100.200",  # metadata of a cloud provider
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.0.0",
    "169.254.169.254",  # metadata of most cloud providers
    "169.254.170.2",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.0",
    "192.0.0.192",  # metadata of a cloud provider
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.0",
    "192.168.255.255",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:169.254.169.254",
    "::ffff:0:8.8.8.8",
    "64:ff9b::127.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "2001::1",  # Teredo
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",  # 127.0.0.1 by 6to4
    "2002:a9fe:a9fe::",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",  # metadata of a cloud provider
    "fdff:ffff::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "ffff::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_all_others_are_not(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_a_host_is_refused_if_even_one_of_its_addresses_is_not_public(dns: FakeDNS, address: str) -> None:
    dns["trees.example"] = ["1.1.1.1", address]
    with pytest.raises(AddressNotPublic, match=r"trees\.example has an address that is not public"):
        public_addresses("trees.example")


def test_addresses_come_once_each_ipv6_and_ipv4_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    records = {"A": ["1.1.1.1", "1.1.1.1", "1.1.1.2"], "AAAA": ["2606:4700::1"]}
    monkeypatch.setattr(
        resolver, "resolve", lambda _, kind, **__: [SimpleNamespace(address=each) for each in records[kind]]
    )
    found = [str(each) for each in public_addresses("trees.example")]
    assert found == ["2606:4700::1", "1.1.1.1", "1.1.1.2"]


def test_one_kind_of_address_suffices(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(_name: str, kind: str, **_: object) -> list[SimpleNamespace]:
        if kind == "A":
            raise resolver.NoAnswer
        return [SimpleNamespace(address="2606:4700::1")]

    monkeypatch.setattr(resolver, "resolve", resolve)
    assert [str(each) for each in public_addresses("trees.example")] == ["2606:4700::1"]


def test_few_addresses_are_tried(dns: FakeDNS) -> None:
    dns["trees.example"] = [f"1.1.1.{number}" for number in range(100)]
    assert len(public_addresses("trees.example")) == MAX_ADDRESSES


@pytest.mark.parametrize("host", ["missing.example", f"{'a' * 64}.example", ".example", "\udcff"])
def test_a_name_without_address_is_not_found(dns: FakeDNS, host: str) -> None:
    with pytest.raises(HostNotFound):
        public_addresses(host)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_loopback_is_allowed_by_the_setting_of_tests_only(dns: FakeDNS, settings: Any, address: str) -> None:
    dns["trees.example"] = address
    settings.ALLOW_REQUESTS_TO_LOOPBACK = True
    assert [str(each) for each in public_addresses("trees.example")] == [address]
    dns["trees.example"] = [address, "10.0.0.1"]
    with pytest.raises(AddressNotPublic):
        public_addresses("trees.example")


def test_the_setting_is_off_and_no_deployment_can_turn_it_on() -> None:
    from registry import settings as declared
    from registry.environment import SETTINGS

    assert declared.ALLOW_REQUESTS_TO_LOOPBACK is False
    assert not any("LOOPBACK" in name for name in SETTINGS)
