"""Proofs of events and between heads, checked by the algorithms of RFC 9162 alone (no import of the registry)."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from registry.accounts.erasure import erase_person
from registry.accounts.models import User
from registry.accounts.personal_data import find_person
from registry.audit_log import log, proofs, tiles
from registry.audit_log.heads import publish_head
from registry.audit_log.models import Event, TileHash
from registry.audit_log.proofs import Tree
from registry.audit_log.tasks import publish_hourly_head
from registry.audit_log.tiles import TileNotWritten
from registry.cases.models import Case
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.subnamespaces.importing import import_subnamespaces
from tests.audit_log.test_tiles import mth, write_events
from tests.support.factories import a_namespace, a_profile
from tests.support.signing_key import KEY
from tests.support.tampering import as_owner

AWAITED = "Proof: with the next head, within an hour"


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_by_inclusion(index: int, size: int, leaf_hash: bytes, path: list[bytes]) -> bytes:
    """RFC 9162, Section 2.1.3.2."""
    assert index < size
    fn, sn, found = index, size - 1, leaf_hash
    for each in path:
        assert sn != 0
        if fn & 1 or fn == sn:
            found = node(each, found)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            found = node(found, each)
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0
    return found


def roots_by_consistency(first: int, second: int, root: bytes, path: list[bytes]) -> tuple[bytes, bytes]:
    """RFC 9162, Section 2.1.4.2. `root` is that of the first tree; both roots that the proof leads to are returned."""
    if first == second:
        assert path == []
        return root, root
    steps = [root, *path] if first & (first - 1) == 0 else path
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = steps[0]
    for each in steps[1:]:
        assert sn != 0
        if fn & 1 or fn == sn:
            fr, sr = node(each, fr), node(each, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node(sr, each)
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0
    return fr, sr


def read(proof: str) -> tuple[bytes, int, list[bytes], list[str]]:
    """The leaf, the index, the path and the lines of the checkpoint of a file in the format of c2sp.org/tlog-proof."""
    head, _, note = proof.partition("\n\n")
    version, extra, index, *path = head.split("\n")
    assert version == "c2sp.org/tlog-proof@v1"
    assert extra.startswith("extra ")
    assert index.startswith("index ")
    return (
        base64.b64decode(extra.removeprefix("extra "), validate=True),
        int(index.removeprefix("index ")),
        [base64.b64decode(each, validate=True) for each in path],
        note.split("\n"),
    )


def accepts(proof: str) -> bool:
    leaf, index, path, lines = read(proof)
    origin, size, root, empty, signature = lines[:5]
    text = f"{origin}\n{size}\n{root}\n"
    assert empty == ""
    octets = base64.b64decode(signature.removeprefix(f"— {KEY.name} "))
    if not KEY.verifier.verifies(octets[4:], text):
        return False
    found = root_by_inclusion(index, int(size), hashlib.sha256(b"\0" + leaf).digest(), path)
    return base64.b64encode(found).decode() == root


def proof_in(client: Client, number: int) -> str:
    response = client.get(f"/audit-log/proofs/{number}.tlog-proof")
    assert response.status_code == 200
    return str(response.content.decode())


@pytest.fixture
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles of 4 hashes, so that a short log has several levels."""
    for module in (tiles, proofs):
        monkeypatch.setattr(module, "HASH_BITS", 2)
        monkeypatch.setattr(module, "WIDTH", 4)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 70])
def test_every_event_has_a_proof_that_a_stranger_accepts(
    size: int, small_tiles: None, client: Client, db: None
) -> None:
    write_events(size)
    publish_head()
    for number in range(1, size + 1):
        assert accepts(proof_in(client, number))


def test_every_pair_of_trees_has_a_consistency_proof(small_tiles: None, db: None) -> None:
    write_events(40)
    publish_head()
    hashes = [hashlib.sha256(b"\0" + event.leaf).digest() for event in Event.objects.order_by("number")]
    for second in range(1, 41):
        tree = Tree(second)
        for first in range(1, second + 1):
            roots = mth(hashes[:first]), mth(hashes[:second])
            assert roots_by_consistency(first, second, roots[0], tree.consistency(first)) == roots


@given(st.integers(1, 3000), st.data())
def test_trees_of_any_size_have_proofs(size: int, data: st.DataObject) -> None:
    """With tiles that are computed from numbers."""
    leaves = [hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(size)]

    class NumberedTree(Tree):
        def _read(self, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
            return {place: b"".join(self._hashes(*place)) for place in places}

        def _hashes(self, level: int, index: int) -> list[bytes]:
            step = 256**level
            found = leaves[index * 256 * step : (index + 1) * 256 * step]
            return [mth(found[at : at + step]) for at in range(0, len(found) - step + 1, step)]

    tree, index, first = (
        NumberedTree(size),
        data.draw(st.integers(0, size - 1)),
        data.draw(st.integers(1, size)),
    )
    assert root_by_inclusion(index, size, leaves[index], tree.inclusion(index)) == mth(leaves)
    roots = mth(leaves[:first]), mth(leaves)
    assert roots_by_consistency(first, size, roots[0], tree.consistency(first)) == roots


def test_a_proof_stays_as_it_is(client: Client, db: None) -> None:
    write_events(3)
    publish_head()
    before = proof_in(client, 2)
    write_events(300)
    publish_head()
    assert proof_in(client, 2) == before
    assert accepts(proof_in(client, 200))


def test_a_changed_octet_is_refused(client: Client, db: None) -> None:
    write_events(9)
    publish_head()
    proof = proof_in(client, 5)
    leaf, _, path, _ = read(proof)
    changed = base64.b64encode(leaf.replace(b'"number":5', b'"number":6')).decode()
    other = base64.b64encode(bytes(32)).decode()
    for forged in (
        proof.replace(base64.b64encode(leaf).decode(), changed),
        proof.replace("index 4", "index 5"),
        *(proof.replace(base64.b64encode(each).decode(), other) for each in path),
        proof.replace("\n9\n", "\n10\n"),
    ):
        assert forged != proof
        assert not accepts(forged)


def test_after_an_erasure_every_earlier_proof_is_accepted(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    publish_head()
    before = [proof_in(client, event.number) for event in Event.objects.of_namespace(namespace.nid)]
    erase_person(find_person(registrant.email), by=None, reason="They left.")
    publish_head()
    assert before
    assert all(map(accepts, before))
    assert [proof_in(client, event.number) for event in Event.objects.of_namespace(namespace.nid)][
        : len(before)
    ] == before


def test_a_proof_takes_three_statements_in_a_log_of_many_levels(
    small_tiles: None, db: None, django_assert_num_queries: Any
) -> None:
    """The event, the head with its cosignatures, and all hashes."""
    write_events(70)
    publish_head()
    write_events(80)
    publish_head()
    for number in (1, 30, 71, 150):
        with django_assert_num_queries(3):
            assert accepts(proofs.proof_of(number))


@pytest.mark.parametrize("number", [0, 4, 99])
def test_what_no_head_has_is_not_proven(number: int, client: Client, db: None) -> None:
    write_events(3)
    publish_head()
    write_events(1)
    response = client.get(f"/audit-log/proofs/{number}.tlog-proof")
    assert response.status_code == 404


@pytest.mark.parametrize("missing", ["level > 0", "level = 1 AND index = 2", "level = 2 AND index IN (0, 3)"])
def test_heads_of_an_earlier_release_have_proofs_after_an_hour(
    missing: str, small_tiles: None, client: Client, db: None, django_assert_max_num_queries: Any
) -> None:
    """That release wrote no hashes of tiles. Until the job wrote them, a request says so, and computes nothing."""
    write_events(70)
    publish_head()
    expected = proof_in(client, 30)
    rows = list(TileHash.objects.order_by("level", "index").values_list("level", "index", "hash"))
    as_owner(f"DELETE FROM audit_log_tilehash WHERE {missing}")
    with django_assert_max_num_queries(3):
        response = client.get("/audit-log/proofs/30.tlog-proof")
    if response.status_code == 200:  # the path needs no hash that is missing
        assert response.content.decode() == expected
    else:
        assert response.status_code == 503
        assert "try again" in response.content.decode()
    publish_hourly_head(0)
    assert proof_in(client, 30) == expected
    assert list(TileHash.objects.order_by("level", "index").values_list("level", "index", "hash")) == rows


def test_tiles_are_written_without_a_head_that_is_due(db: None, settings: Any) -> None:
    settings.LOG_SIGNING_KEY = ""
    write_events(600)
    publish_hourly_head(0)
    assert TileHash.objects.filter(level=1).count() == 2


def test_a_head_leaves_many_tiles_to_the_job(
    small_tiles: None, client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its transaction may hold the lock of the chain."""
    monkeypatch.setattr(tiles, "TILES_AT_ONCE", 3)
    write_events(70)
    assert publish_head() is not None
    assert not TileHash.objects.exists()
    assert client.get("/audit-log/tile/1/000").status_code == 503
    with pytest.raises(TileNotWritten, match="lacks 1 of the hashes 16 to 16 of level 1"):
        Tree(70).inclusion(69)
    publish_hourly_head(0)
    assert {level: TileHash.objects.filter(level=level).count() for level in (1, 2, 3)} == {1: 17, 2: 4, 3: 1}
    assert accepts(proof_in(client, 70))


def test_the_event_of_a_text_is_found_by_its_digest(db: None) -> None:
    """Not among all events of the namespace, of which a large register has a million."""
    digests = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(3000)]
    with transaction.atomic():
        log.append_all(
            Event(verb="import", nid="isbn", text_digest=digest, details={"version": number})
            for number, digest in enumerate(digests)
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE audit_log_event")
    with CaptureQueriesContext(connection) as queries:
        assert proofs.event_of_text("isbn", version=2000, digest=digests[2000]) == 2001
    (query,) = queries.captured_queries
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {query['sql']}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "events_of_text" in plan


def consistency(client: Client, first: Any, second: Any) -> Any:
    return client.get(f"/api/v1/audit-log/heads/{first}/consistency/{second}/")


def test_the_api_proves_that_one_head_continues_another(client: Client, db: None) -> None:
    write_events(5)
    publish_head()
    write_events(8)
    publish_head()
    body = consistency(client, 5, "latest").json()
    assert body == consistency(client, "13", "5").json()
    assert (body["earlier"]["size"], body["later"]["size"]) == (5, 13)
    first, second = (base64.b64decode(body[each]["root_hash"]) for each in ("earlier", "later"))
    path = [base64.b64decode(each) for each in body["hashes"]]
    assert roots_by_consistency(5, 13, first, path) == (first, second)
    assert consistency(client, 13, 13).json()["hashes"] == []
    assert consistency(client, 6, 13).status_code == 404


def test_a_rewritten_log_has_no_proof_for_a_head_that_was_kept(client: Client, db: None) -> None:
    """The owner of the database writes a new history, with triggers off: who holds the earlier head notices."""
    write_events(6)
    kept = publish_head()
    assert kept is not None
    as_owner(
        "DELETE FROM audit_log_signedhead; DELETE FROM audit_log_event; UPDATE audit_log_chainhead SET number = 0, "
        "digest = repeat('0', 64), last_in_format_2 = 0"
    )
    with transaction.atomic():
        log.append("import", by=None, nid="another")
    write_events(9)
    publish_head()
    path = Tree(10).consistency(6)
    later = base64.b64decode(client.get("/api/v1/audit-log/heads/latest/").json()["root_hash"])
    assert roots_by_consistency(6, 10, kept.checkpoint.root, path) != (kept.checkpoint.root, later)


def test_events_link_their_proofs(client: Client, trees: Namespace) -> None:
    publish_head()
    for event in client.get("/api/v1/namespaces/example-trees/events/").json()["results"]:
        assert accepts(proof_in(client, event["number"]))
        assert event["links"]["proof"].endswith(f"/audit-log/proofs/{event['number']}.tlog-proof")


@pytest.fixture
def trees(registrant: User, expert: User, administrator: User) -> Namespace:
    return a_namespace(by=registrant, expert=expert, administrator=administrator)


WITH_PROOFS = ("versions/1/", "profile/", "subnamespaces/", "subnamespaces/?prefix=kew")


def describe(trees: Namespace, administrator: User) -> None:
    """Add a profile and a list of sub-namespaces."""
    profile = a_profile(levels=[{"name": "garden", "coverage": "free"}])
    set_profile(trees, by=administrator, profile=profile, basis="Syntax.", replaces=0)
    entry = {"prefix": "kew", "title": "Kew", "source": "List", "as_of": "2026-01-31"}
    import_subnamespaces(
        trees, by=administrator, document=json.dumps(entry), list_format="jsonl", basis="A list.", replaces=0
    )


def test_versions_profiles_and_lists_have_proofs(
    client: Client, trees: Namespace, administrator: User
) -> None:
    describe(trees, administrator)
    pages = [f"/namespaces/example-trees/{page}" for page in WITH_PROOFS]
    for page in pages[1:]:  # a version is registered with a head
        content = client.get(page).text
        assert AWAITED in content, page
        assert "/proof/" not in content, page
    publish_head()
    places = {
        "/namespaces/example-trees/versions/1/": trees.latest.digest,
        "/namespaces/example-trees/profile/versions/1/": trees.profile_versions.get().digest,
        "/namespaces/example-trees/subnamespaces/versions/1/": trees.subnamespace_list_versions.get().digest,
    }
    for place, digest in places.items():
        response = client.get(f"{place}proof/", follow=True)
        assert response.status_code == 200, place
        proof = response.content.decode()
        assert accepts(proof)
        leaf = json.loads(read(proof)[0])
        assert (leaf["nid"], leaf["text_digest"], leaf["details"]["version"]) == ("example-trees", digest, 1)
        assert client.get(f"{place.replace('/1/', '/7/')}proof/").status_code == 404
    api = "/api/v1/namespaces/example-trees/"
    linked = [
        client.get(f"{api}versions/1/").json()["links"]["proof"],
        client.get(f"{api}profile/").json()["results"][0]["proof"],
        client.get(f"{api}subnamespaces/").json()["results"][0]["links"]["proof"],
    ]
    assert [urlsplit(each).path for each in linked] == [f"{place}proof/" for place in places]
    assert "Proof" in client.get("/namespaces/example-trees/").text
    for page, place in zip(pages, [*places, [*places][-1]], strict=True):
        content = client.get(page).text
        assert AWAITED not in content, page
        assert f'href="{place}proof/"' in content, page
    links = client.get("/api/v1/namespaces/example-trees/versions/1/").json()["links"]
    assert links["proof"].endswith("/namespaces/example-trees/versions/1/proof/")


def test_pages_link_a_proof_once_a_head_has_the_event(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = Case.objects.get(namespace=namespace)
    pages = [f"/namespaces/{namespace.nid}/", case.get_absolute_url()]
    publish_head()
    deprecate(namespace, by=administrator, statement="Use another one.")
    number, words = Event.objects.latest("number").number, AWAITED.encode()
    page = client.get(pages[0]).content
    assert b", <span>" + words in page
    assert b" ," not in page
    assert f"/audit-log/proofs/{number}.tlog-proof".encode() not in page
    assert words not in client.get(pages[1]).content
    assert b"tlog-proof" in client.get(pages[1]).content
    publish_head()
    page = client.get(pages[0]).content  # the head renewed it
    assert words not in page
    assert f"/audit-log/proofs/{number}.tlog-proof".encode() in page


def test_a_registry_that_signs_no_heads_promises_no_proof(
    client: Client, registrant: User, expert: User, administrator: User, settings: Any
) -> None:
    """Nor is there an element without a text."""
    settings.LOG_SIGNING_KEY = ""
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    describe(namespace, administrator)
    assert b"History" in client.get(f"/namespaces/{namespace.nid}/").content
    for page in (
        f"/namespaces/{namespace.nid}/",
        *(f"/namespaces/example-trees/{each}" for each in WITH_PROOFS),
    ):
        content = client.get(page).text
        assert "Proof" not in content, page
        assert not re.search(r"<(span|p)[^>]*></\1>", content), page
