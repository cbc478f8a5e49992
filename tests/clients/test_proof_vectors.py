"""The verifier of the Python client, by the cases that the one in TypeScript has too, and texts of versions."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from urnregistry import ProofRefused
from urnregistry.cli import main
from urnregistry.policies import Policy
from urnregistry.proofs import verify_proof, verify_version
from urnregistry.templates import FIELDS, TITLES, verify_text

from registry.namespaces.models import Revision
from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import parse_template
from registry.registration_template.sections import SECTIONS, Registrant
from registry.registration_template.template import RegistrationTemplate
from tests.clients.proof_vectors import CASES, GOOD, TEMPLATE, TEXT, Evidence, changes
from tests.registration_template.strategies import templates
from tests.support.shared_data import shared


def check(evidence: Evidence) -> None:
    policy = Policy.parse(evidence.policy) if evidence.policy else None
    proven = verify_proof(evidence.proof, evidence.keys, policy)
    if evidence.version:
        verify_version(proven, evidence.version)
        if evidence.text:
            verify_text(evidence.text, evidence.version["sections"])


@pytest.mark.parametrize(("evidence", "refusal"), CASES.values(), ids=CASES.keys())
def test_the_command_says_yes_or_no_with_a_sentence(
    evidence: Evidence, refusal: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["proof", *(f"--key={key}" for key in evidence.keys)]
    version = json.dumps(evidence.version) if evidence.version else None
    given = {"proof": evidence.proof, "policy": evidence.policy, "version": version, "text": evidence.text}
    for name, content in given.items():
        if content is not None:
            (tmp_path / name).write_text(content, encoding="utf-8", newline="")
            command += [str(tmp_path / name)] if name == "proof" else [f"--{name}", str(tmp_path / name)]
    is_checked = not refusal.startswith(("is not a proof", "is not a version"))
    assert main(command) == (2 if not is_checked else 1 if refusal else 0)
    output = capsys.readouterr()
    assert refusal in output.err if refusal else "The log has event 5" in output.out
    assert ("is its text" in output.out) == bool(evidence.text and not refusal)


def test_a_changed_octet_is_refused_anywhere() -> None:
    check(GOOD)
    for proof in changes(GOOD.proof):
        with pytest.raises(ProofRefused):
            check(Evidence(proof=proof, policy=GOOD.policy))
    for text in changes(TEXT):
        with pytest.raises(ProofRefused):
            verify_text(text, TEMPLATE.to_json())


def test_a_text_needs_the_salts_of_its_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["proof", str(tmp_path / "proof"), "--text", str(tmp_path / "text"), "--key", "a"])
    said = capsys.readouterr().err
    assert "the salts of the registrant" in said
    assert said.startswith("usage: urnregistry proof ")


def test_the_client_knows_every_section() -> None:
    assert {each.key: each.title for each in SECTIONS} == TITLES
    assert Registrant().to_json().keys() == FIELDS.keys()


@pytest.mark.exhaustive
@pytest.mark.slow
@given(templates)
@settings(max_examples=40)
def test_every_text_is_that_of_its_sections(template: RegistrationTemplate) -> None:
    verify_text(format_template(template), template.to_json())


def test_the_texts_of_real_templates_are_those_of_their_sections() -> None:
    files = sorted(shared("data/templates").glob("*/*.txt"))
    for file in files:
        template = parse_template(file.read_bytes().decode()).template
        verify_text(format_template(template), template.to_json())
    assert len(files) >= 70


@pytest.mark.exhaustive
@pytest.mark.usefixtures("demonstration_database")
def test_the_texts_of_the_demonstration_are_those_of_their_sections() -> None:
    revisions = [*Revision.objects.all()]
    for each in revisions:
        verify_text(each.text, each.template.to_json())
    assert len(revisions) >= 5
