"""No name changes the scheme, the host, the port or the literal path of an address, or adds a control character."""

import random
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.urnsyntax.profiles.samples import PROFILES
from tests.urnsyntax.profiles.services.hostile import (
    PIECES,
    Q_PIECES,
    check_address,
    hostile_text,
    values_for,
)
from tests.urnsyntax.profiles.services.samples import GRAMMAR, service, trees
from urnsyntax import is_urn
from urnsyntax.profiles import UnsafeAddress
from urnsyntax.profiles.services.templates import parse_template

TEMPLATES = [parse_template(each.template) for profile in PROFILES for each in profile.services] + [
    parse_template(text)
    for text in (
        "https://a.example/{a}",
        "https://a.example:8443/{+a}",
        "https://a.example/x/{+a}/y?z={a:lower}&{q}",
        "https://a.example/.{a}./{+b:path}?{q}",
        "https://a.example/{a}{+b}{a:upper}/",
    )
]
OF_TREES = trees(service(template="https://a.example/x/{+leaf}?{q}", passes_q=True))
HOSTILE = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join)
HOSTILE_Q = st.none() | st.lists(st.sampled_from(Q_PIECES), min_size=1, max_size=8).map("".join)


def attack(template, texts, q_component):
    """Whether the template has an address for the texts, which is then checked."""
    values = values_for(template, texts)
    if values is None:
        return False
    try:
        address = template.expand(values, q_component)
    except UnsafeAddress:
        return False
    check_address(template, address, q_component)
    return True


def attack_at_random(template, source):
    texts = [hostile_text(source) for _ in template.variables]
    return attack(template, texts, hostile_text(source, Q_PIECES) if source.random() < 0.5 else None)


@pytest.mark.slow
@settings(max_examples=1_500)
@given(st.sampled_from(TEMPLATES), st.data())
@pytest.mark.exhaustive
def test_hostile_values_change_no_address(template, data):
    texts = [data.draw(HOSTILE) for _ in template.variables]
    attack(template, texts, data.draw(HOSTILE_Q))


@settings(max_examples=1_500)
@given(st.text(st.characters(max_codepoint=0x2FF), min_size=1, max_size=12), st.sampled_from(["", "+"]))
def test_any_text_is_encoded_once(text, operator):
    template = parse_template(f"https://a.example/x/{{{operator}a}}")
    try:
        address = template.expand([text])
    except UnsafeAddress:
        return
    check_address(template, address, None)
    assert unquote_to_bytes(address[len("https://a.example/x/") :]) == unquote_to_bytes(text)


@pytest.mark.slow
@settings(max_examples=1_500)
@given(HOSTILE, HOSTILE_Q)
def test_hostile_names_change_no_address_of_a_profile(leaf, q_component):
    urn = f"urn:trees:1:2/{leaf}" + (f"?={q_component}" if q_component else "") + "#f"
    if is_urn(urn):
        for found in OF_TREES.services_for(urn):
            address, mark, fragment = found.address.partition("#")
            assert mark + fragment == "#f"
            check_address(OF_TREES.services[0].address_template, address, q_component)


def test_the_grammar_of_the_names_takes_hostile_ones():
    """Otherwise the test above would not test an address."""
    assert "%" in GRAMMAR
    assert OF_TREES.resolve("urn:trees:1:2/a/../b").refused
    assert OF_TREES.resolve("urn:trees:1:2/a//evil.example:80%2F?=x").services


def test_each_template_has_addresses_for_hostile_names():
    source = random.Random(8141)
    for template in TEMPLATES:
        assert any(attack_at_random(template, source) for _ in range(10_000)), template.text


@pytest.mark.soak
def test_a_million_hostile_names_change_no_address(record_property):
    """Names over all templates of the fixtures; about 100 seconds."""
    source, counts = random.Random(8141), [0, 0]
    for _ in range(1_000_000):
        counts[attack_at_random(source.choice(TEMPLATES), source)] += 1
    record_property("addresses", counts[True])
    record_property("without address", counts[False])
    assert counts[True] > 300_000
    assert counts[False] > 100_000
