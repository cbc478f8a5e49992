"""The settings of witnesses: their keys and addresses."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from urnregistry.witness import WitnessKey as PrivateKey

from registry.audit_log import witnesses
from registry.audit_log.checks import check_settings_of_parties, check_witnesses
from registry.audit_log.cosignatures import WitnessKey, cosignature_of
from registry.audit_log.signed_notes import MalformedKey, UntrustedNote
from registry.environment import SETTINGS
from tests.audit_log.test_witnesses import a_head
from tests.support.signing_key import KEY

KEY_OF_A_WITNESS = PrivateKey("witness.example.org", bytes(32)).verifier


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ([KEY_OF_A_WITNESS], "the second word of a pair is missing"),
        ([str(KEY.verifier), "https://witness.example.org/"], "not a verifier key of a witness"),
        (
            ["witness+00000000" + KEY_OF_A_WITNESS[-45:], "https://witness.example.org/"],
            "The key ID of witness",
        ),
        ([KEY_OF_A_WITNESS, "https://a.example/"] * 2, "a key is there twice"),
        ([PrivateKey("w" * 290, bytes(32)).verifier, "https://a.example/"], "more than 300 characters"),
    ],
)
def test_a_malformed_setting_is_a_configuration_error(words: list[str], fault: str, settings: Any) -> None:
    settings.LOG_WITNESSES = words
    with pytest.raises(ImproperlyConfigured, match=f"^LOG_WITNESSES: .*{fault}"):
        witnesses.witnesses()
    (message,) = check_settings_of_parties()
    assert (message.id, fault in message.msg) == ("audit_log.E003", True)
    assert check_witnesses() == []


def test_the_environment_has_pairs() -> None:
    setting = SETTINGS["LOG_WITNESSES"]
    assert setting.parse("") == []
    pair = [KEY_OF_A_WITNESS, "https://witness.example.org/prefix"]
    assert setting.parse("  ".join(pair)) == pair
    assert setting.parse("\n".join([" ".join(pair), " ".join(pair)])) == pair * 2
    for text in (KEY_OF_A_WITNESS, "https://a.example/", f"{KEY_OF_A_WITNESS} http://a.example/", "a b"):
        with pytest.raises(ImproperlyConfigured, match=r"^LOG_WITNESSES is "):
            setting.parse(text)


def test_the_key_of_a_log_is_not_one_of_a_witness(db: None) -> None:
    key = WitnessKey.parse(KEY_OF_A_WITNESS)
    assert str(key) == KEY_OF_A_WITNESS
    with pytest.raises(MalformedKey):
        WitnessKey.parse(str(KEY.verifier))
    head = a_head(1)
    with pytest.raises(UntrustedNote):
        cosignature_of(head.note, head.note.rpartition("\n\n")[2], key)
