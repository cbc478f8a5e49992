"""The Merkle tree: the vectors of Certificate Transparency, and a naive tree after RFC 6962, Section 2.1."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.audit_log.merkle import Frontier, MalformedFrontier

# The test vectors of RFC 6962's reference implementation: the root after each entry.
ENTRIES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
EMPTY_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
ROOTS = [
    EMPTY_ROOT,
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def naive_root(entries: list[bytes]) -> bytes:
    """MTH, as the RFC defines it: split at the largest power of two smaller than the number of entries."""
    if not entries:
        return hashlib.sha256().digest()
    if len(entries) == 1:
        return hashlib.sha256(b"\x00" + entries[0]).digest()
    half = 1
    while half * 2 < len(entries):
        half *= 2
    return hashlib.sha256(b"\x01" + naive_root(entries[:half]) + naive_root(entries[half:])).digest()


@pytest.mark.parametrize("size", range(len(ROOTS)))
def test_the_known_roots(size: int) -> None:
    entries = [bytes.fromhex(each) for each in ENTRIES[:size]]
    assert Frontier().extended(entries).root.hex() == naive_root(entries).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=40), max_size=70))
def test_every_root_is_that_of_a_naive_tree(entries: list[bytes]) -> None:
    assert Frontier().extended(entries).root == naive_root(entries)


@given(st.lists(st.binary(max_size=4), max_size=70), st.data())
def test_a_frontier_continues_where_it_was_stored(entries: list[bytes], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(entries)))
    stored = Frontier().extended(entries[:cut])
    restored = Frontier(stored.size, stored.hashes)
    assert restored.extended(entries[cut:]) == Frontier().extended(entries)
    assert len(stored.hashes) == cut.bit_count()


def test_a_leaf_is_not_a_node() -> None:
    """Without the prefixes, the two leaves below would have the root of one leaf."""
    leaves = [bytes([each]) * 32 for each in (1, 2)]
    hashed = [hashlib.sha256(b"\x00" + each).digest() for each in leaves]
    assert Frontier().extended(leaves).root != Frontier().extended([b"".join(hashed)]).root


@pytest.mark.parametrize(
    ("size", "hashes"), [(1, ()), (0, (bytes(32),)), (3, (bytes(32),)), (1, (bytes(31),)), (1, (b"",))]
)
def test_hashes_that_do_not_fit_the_size_are_refused(size: int, hashes: tuple[bytes, ...]) -> None:
    with pytest.raises(MalformedFrontier):
        Frontier(size, hashes)
