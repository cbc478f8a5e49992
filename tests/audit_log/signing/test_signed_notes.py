"""Signed notes and checkpoints: the published vectors of the format, and what is refused."""

import base64

import pytest

from registry.audit_log.signed_notes import (
    Checkpoint,
    MalformedKey,
    MalformedNote,
    SigningKey,
    UntrustedNote,
    VerifierKey,
    open_note,
    text_of,
)

# The vector of the first implementation, golang.org/x/mod/sumdb/note.
PRIVATE_KEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
VERIFIER_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
SIGNATURE = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
NOTE = f"{TEXT}\n{SIGNATURE}"
PETER = VerifierKey.parse(VERIFIER_KEY)
OTHER = SigningKey("example.org/other", bytes(32))


def test_the_known_key_signs_the_known_note() -> None:
    key = SigningKey.parse(PRIVATE_KEY)
    assert key.to_text() == PRIVATE_KEY
    assert str(key.verifier) == VERIFIER_KEY == str(PETER)
    assert key.sign(TEXT) == NOTE
    assert open_note(NOTE, [PETER]) == (TEXT, PETER)


def test_a_new_key_signs_and_survives_its_textual_form() -> None:
    key = SigningKey.generate("example.org/log")
    assert SigningKey.parse(key.to_text()) == key
    assert SigningKey.generate("example.org/log") != key
    assert open_note(key.sign("a\n"), [VerifierKey.parse(str(key.verifier))]) == ("a\n", key.verifier)


def test_a_private_key_is_not_part_of_its_representation() -> None:
    key = SigningKey.parse(PRIVATE_KEY)
    assert base64.b64encode(key.seed).decode() not in repr(key)
    assert repr(key.seed) not in repr(key)


@pytest.mark.parametrize("text", [VERIFIER_KEY, PRIVATE_KEY.removeprefix("PRIVATE+KEY+")])
def test_a_key_with_any_character_changed_is_refused(text: str) -> None:
    private = text != VERIFIER_KEY
    for at in range(len(text)):
        changed = f"{text[:at]}{chr(ord(text[at]) + 1)}{text[at + 1 :]}"
        with pytest.raises(MalformedKey):
            SigningKey.parse(f"PRIVATE+KEY+{changed}") if private else VerifierKey.parse(changed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PeterNeumann",
        VERIFIER_KEY[:-4],
        f"{VERIFIER_KEY}AAAA",
        f" {VERIFIER_KEY}",
        f"{VERIFIER_KEY}\n",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",  # an unknown algorithm
        PRIVATE_KEY,
    ],
)
def test_what_is_not_a_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(MalformedKey):
        VerifierKey.parse(text)


@pytest.mark.parametrize("text", ["", VERIFIER_KEY, PRIVATE_KEY[:-4], "PRIVATE+KEY+", f"{PRIVATE_KEY} "])
def test_what_is_not_a_private_key_is_refused_without_quoting_it(text: str) -> None:
    with pytest.raises(MalformedKey) as refusal:
        SigningKey.parse(text)
    assert not text or "AYEKFALV" not in str(refusal.value)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\u00a0b", "a\u2003b", "a\tb", "a\nb", "a\x00b"])
def test_a_key_has_a_name_without_spaces_and_plus(name: str) -> None:
    with pytest.raises(MalformedKey, match="can't be the name of a key"):
        SigningKey.generate(name)


# The text is up to the last empty line, and may have empty lines itself.


@pytest.mark.parametrize("text", ["a\n", "a\n\nb\n", "a\n\n", "\n", "— not a signature\n", "ünïcode …\n"])
def test_any_lines_can_be_signed(text: str) -> None:
    note = OTHER.sign(text)
    assert text_of(note) == text
    assert open_note(note, [OTHER.verifier]) == (text, OTHER.verifier)


@pytest.mark.parametrize("text", ["", "a", "a\r\n", "a\tb\n", "a\x00\n", "a\x1f\n"])
def test_a_text_that_is_not_lines_is_not_signed(text: str) -> None:
    with pytest.raises(MalformedNote):
        OTHER.sign(text)


MALFORMED = {
    "nothing": "",
    "no signature": TEXT,
    "an empty line alone": f"{TEXT}\n",
    "no empty line": f"{TEXT}{SIGNATURE}",
    "no last line break": NOTE[:-1],
    "a line after the signatures": f"{NOTE}and this\n",
    "an empty line after the signatures": f"{NOTE}\n",
    "a hyphen": NOTE.replace("— ", "- "),
    "no space": NOTE.replace("— ", "—"),
    "two spaces": NOTE.replace("— ", "—  "),
    "no base64": NOTE.replace("x08go", "x0*go"),
    "no octets beside the key ID": f"{TEXT}\n— PeterNeumann x08gow==\n",
    "a carriage return": NOTE.replace("\n", "\r\n"),
    "a tab": NOTE.replace("If you", "If\tyou"),
    "a name with a plus": NOTE.replace("PeterNeumann", "Peter+Neumann"),
    "too many signatures": NOTE + SIGNATURE * 100,
}


@pytest.mark.parametrize("note", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_not_a_note_is_refused(note: str) -> None:
    with pytest.raises(MalformedNote):
        open_note(note, [PETER])


def test_signatures_of_unknown_keys_are_ignored() -> None:
    others = "".join(
        SigningKey(f"example.org/{each}", bytes([each]) * 32).sign(TEXT).removeprefix(f"{TEXT}\n")
        for each in range(15)
    )
    assert open_note(f"{TEXT}\n{others}{SIGNATURE}", [PETER]) == (TEXT, PETER)
    for note in (f"{TEXT}\n{others}", OTHER.sign(TEXT)):
        with pytest.raises(UntrustedNote, match="not a key that you trust"):
            open_note(note, [PETER])
    with pytest.raises(UntrustedNote):
        open_note(NOTE, [])


def test_a_key_with_the_same_name_and_another_id_is_unknown() -> None:
    namesake = SigningKey("PeterNeumann", bytes(32))
    with pytest.raises(UntrustedNote, match="not a key that you trust"):
        open_note(namesake.sign(TEXT), [PETER])


@pytest.mark.parametrize(
    "note",
    [
        NOTE.replace("cryptography", "cryptographY"),
        NOTE.replace("/ZJkuBS9", "/ZJkuBS8"),
        f"{NOTE}{SIGNATURE.replace('/ZJkuBS9', '/ZJkuBS8')}",
        f"{TEXT}\n— PeterNeumann x08go/Y=\n",
    ],
    ids=["another text", "another signature", "a right and a wrong signature", "a short signature"],
)
def test_a_wrong_signature_of_a_known_key_rejects_the_note(note: str) -> None:
    with pytest.raises(UntrustedNote, match="The signature of PeterNeumann is wrong"):
        open_note(note, [PETER])


# Checkpoints

KEY = SigningKey("example.com/behind-the-sofa", bytes(32))
ROOT = base64.b64decode("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=")
EXAMPLE = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
SOFA = Checkpoint("example.com/behind-the-sofa", 20852163, ROOT)


def test_a_checkpoint_is_the_example_of_the_specification() -> None:
    note = SOFA.signed(KEY)
    assert text_of(note) == EXAMPLE
    assert Checkpoint.verified(note, [KEY.verifier]) == Checkpoint.of_note(note) == SOFA


def test_extension_lines_are_ignored() -> None:
    assert Checkpoint.parse(f"{EXAMPLE}and more\n") == SOFA
    assert Checkpoint.parse(EXAMPLE.replace("20852163", "0")).size == 0


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLE[:-1],
        f"{EXAMPLE}\n",
        f"{EXAMPLE}more\n\n",
        f"\n{EXAMPLE}",
        EXAMPLE.replace("20852163", "020852163"),
        EXAMPLE.replace("20852163", "-1"),
        EXAMPLE.replace("20852163", "٣"),
        EXAMPLE.replace("20852163", "1" * 19),
        EXAMPLE.replace("CsUY", ""),
        EXAMPLE.replace("CsUY", "*sUY"),
        "example.com/behind-the-sofa\n20852163\n",
        "urn-registry escrow\n" + "0" * 64 + "\n",
    ],
)
def test_what_is_not_a_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(MalformedNote):
        Checkpoint.parse(text)


def test_the_key_of_one_log_does_not_vouch_for_another() -> None:
    with pytest.raises(UntrustedNote, match=r"about the log “example\.com/behind-the-sofa”"):
        Checkpoint.verified(SOFA.signed(OTHER), [OTHER.verifier, KEY.verifier])
