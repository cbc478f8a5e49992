"""Every mail begins with a greeting."""

import re
from pathlib import Path

import pytest
from django.conf import settings

TEMPLATES = Path(settings.BASE_DIR) / "templates"
EMAILS = [
    *sorted((TEMPLATES / "emails").glob("*.txt")),
    *sorted((TEMPLATES / "account" / "email").glob("*_message.txt")),
    *sorted((TEMPLATES / "mfa" / "email").glob("*_message.txt")),
]


@pytest.mark.parametrize("path", EMAILS, ids=lambda path: path.name)
def test_a_mail_template_greets(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "Hello,\n\n" in text or re.match(r"\{% (extends|include) ", text)
    if "{% block body %}" in text:
        body = text.partition("{% block body %}")[2]
        assert re.match(r"(\{% if not in_digest %\})?Hello,\n\n", body)
