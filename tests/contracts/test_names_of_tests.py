"""Names of tests are short: workers send each other all of them, and the programs that a test starts get its name."""

import pytest

LONGEST = 1_500


def test_no_name_of_a_test_is_long(request: pytest.FixtureRequest) -> None:
    names = [item.nodeid for item in request.session.items]
    assert [f"{name[:150]}... ({len(name)})" for name in names if len(name) > LONGEST] == []
