"""The parser and an independent scanner agree on 200,000 random texts: result, parts and position."""

import pytest

from urnsyntax import URN, is_urn, rfc2141
from urnsyntax.bulk import check_lines
from urnsyntax.faults import fault_of_namestring

from .random_texts import random_texts
from .scanner import scan, scan_2141

COUNT, SHARES = 200_000, 4
EVERY_SHARE = [0, *(pytest.param(share, marks=pytest.mark.soak) for share in range(1, SHARES))]


@pytest.mark.parametrize("share", EVERY_SHARE)
def test_every_text_is_read_as_the_scanner_reads_it(share):
    accepted = 0
    for text in random_texts(COUNT // SHARES, seed=f"8141 {share}"):
        expected, fault = scan(text), fault_of_namestring(text)
        assert is_urn(text) == isinstance(expected, dict), ascii(text)
        if isinstance(expected, dict):
            accepted += 1
            urn = URN.parse(text)
            found = {"nid": urn.nid, "nss": urn.nss, "r": urn.r_component, "q": urn.q_component}
            assert found | {"f": urn.f_component} == expected, ascii(text)
            assert fault is None, ascii(text)
        else:
            assert fault is not None, ascii(text)
            assert fault.position == expected, ascii(text)
    assert 0.1 < accepted / (COUNT // SHARES) < 0.9


@pytest.mark.parametrize("share", EVERY_SHARE)
def test_every_text_is_read_by_rfc_2141_as_the_scanner_reads_it(share):
    accepted = 0
    for text in random_texts(COUNT // SHARES, seed=f"2141 {share}"):
        expected, fault = scan_2141(text), rfc2141.fault_of_urn(text)
        assert rfc2141.is_urn(text) == isinstance(expected, dict), ascii(text)
        if isinstance(expected, dict):
            accepted += 1
            urn = rfc2141.parse(text)
            assert {"nid": urn.nid, "nss": urn.nss} == expected, ascii(text)
            assert fault is None, ascii(text)
        else:
            assert fault is not None, ascii(text)
            assert fault.position == expected, ascii(text)
    assert 0.1 < accepted / (COUNT // SHARES) < 0.9


@pytest.mark.parametrize("as_bytes", [False, True])
def test_lines_in_bulk_are_read_as_the_scanner_reads_them(as_bytes):
    lines = [t for t in random_texts(50_000, seed="bulk") if not set(t) & {"\n", "\r", "\ud800"}]
    expected = {n: p for n, p in enumerate(map(scan, lines), 1) if isinstance(p, int)}
    content = "\n".join(lines) + "\n"
    checked = check_lines(content.encode() if as_bytes else content)
    assert {bad.number: bad.position for bad in checked} == expected
    assert (checked.good, checked.bad) == (len(lines) - len(expected), len(expected))
