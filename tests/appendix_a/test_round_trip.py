"""Plain text out and in again: nothing is lost, whatever a submission holds."""

from hypothesis import example, given, settings

from registry.appendix_a.formatting import format_text
from registry.appendix_a.parsing import parse
from registry.appendix_a.submission import Submission
from tests.appendix_a.strategies import submissions


@given(submissions)
@settings(max_examples=150, deadline=None)
@example(Submission())
def test_what_is_written_is_read_back(submission: Submission) -> None:
    parsed = parse(format_text(submission))
    assert parsed.submission == submission
    assert parsed.unplaced == ()
    assert parsed.remarks == ()
    assert parsed.form == "8141"
