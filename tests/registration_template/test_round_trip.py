"""Formatting a template as plain text and parsing it again loses nothing."""

import pytest
from hypothesis import example, given, settings

from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import parse_exactly
from registry.registration_template.template import RegistrationTemplate
from tests.registration_template.strategies import templates


@pytest.mark.exhaustive
@pytest.mark.slow
@given(templates)
@settings(max_examples=150)
@example(RegistrationTemplate())
def test_what_is_written_is_read_back(template: RegistrationTemplate) -> None:
    parsed = parse_exactly(format_template(template))
    assert parsed.template == template
    assert parsed.unplaced == ()
    assert parsed.remarks == ()
    assert parsed.form == "8141"
