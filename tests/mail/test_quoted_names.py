"""Names that people chose are quoted in mails, so that none is read as a sentence of the registry."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from registry.accounts.models import User
from registry.mail.models import Message
from registry.mail.plain_text import quoted
from registry.organisations.actions.members import invite_member
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import MemberRole
from tests.support.factories import a_person

FOLDERS = ("emails", "account/email", "mfa/email", "socialaccount/email")
TEMPLATES = [
    path for each in FOLDERS for path in sorted((settings.BASE_DIR / "templates" / each).glob("*.txt"))
]
# Variables of the templates that are people, organisations, bodies, or names.
NAMES = (
    r"(?:[a-z_]+\.)*(?:actor|person|organisation\.name|organisation|claimant|future_registrant|offered_by|by|author|body|"
    r"contact\.name|announced_by|used_by|title|token|about|passkey)"
)
UNQUOTED = re.compile(rf"\{{\{{\s*{NAMES}\s*(?:\|(?!quoted)[^}}]*)?\}}\}}")
# The text of a mail in a digest, the title of a section.
NOT_NAMES = {"{{ mail.body }}", "{{ point.section_title }}"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_every_name_in_a_mail_is_quoted(path: Path) -> None:
    assert set(UNQUOTED.findall(path.read_text(encoding="utf-8"))) <= NOT_NAMES


def test_a_name_can_not_end_its_quotation() -> None:
    assert quoted("Society” was closed. Call “us") == "“Society’ was closed. Call ‘us”"
    assert quoted('a\n"b"') == "“a 'b'”"


@pytest.mark.django_db
def test_a_sentence_as_a_name_is_quoted_in_subject_and_text(participant: User) -> None:
    sentence = "Your account was closed. Call us today"
    person = a_person(email="sentence@example.org", name=sentence)
    organisation = create_organisation(by=person, name="All your namespaces were deleted")
    invite_member(organisation, by=person, email=participant.email, part=MemberRole.EDITOR)
    mail = Message.objects.get(name="invite_member", to=participant.email)
    assert mail.subject == f"{participant.email} is invited to “All your namespaces were deleted”"
    text = " ".join(mail.body.split())
    assert f"“{sentence}” invites" in text
    assert "organisation “All your namespaces were deleted”" in text
