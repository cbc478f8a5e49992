"""The data for tests names no person, and is what `copy_facts.py` writes."""

import re

from registry.publication.iana.xml_format import parse_xml
from tests.data import FOLDER, IANA_HISTORY, IANA_NEWEST
from tests.data.copy_facts import COPIED, facts
from tests.support.shared_data import shared

FILES = [path for path in FOLDER.glob("*/**/*.*") if path.is_file() and path.suffix != ".pyc"]
NAMES = r"Example Person \d+(, Example Person \d+)*"


def test_people_are_examples() -> None:
    for path in (*IANA_HISTORY.glob("*.xml"), IANA_NEWEST):
        file = parse_xml(path.read_bytes())
        people = {person.attribute("id"): person.children[0].text for person in file.people}
        for name in people.values():
            assert re.fullmatch(NAMES, name), path.name
        heads = (*file.formal_head, *file.informal_head)
        for experts in (each.text for each in heads if each.tag == "expert"):
            assert re.fullmatch(NAMES, experts.replace(" (team leader)", "")), path.name
        for record in file.records:
            named = {each.target for each in record.reference_column if each.type == "person"}
            assert named <= people.keys(), path.name


def test_mail_addresses_are_examples() -> None:
    for path in FILES:
        for address in re.findall(r"[\w.-]+(?:@|&amp;)[\w-]+\.[\w.-]+", path.read_text(encoding="utf-8")):
            assert address in {"person@example.org", "person&amp;example.org"}, path.name


def test_the_data_is_what_the_script_copies() -> None:
    own = {str(path.relative_to(FOLDER)): path.read_bytes() for path in FILES}
    folders = {pattern.partition("/")[0] for pattern in COPIED}
    copied = {name: content for name, content in own.items() if name.partition("/")[0] in folders}
    assert copied == facts(shared("data"))
