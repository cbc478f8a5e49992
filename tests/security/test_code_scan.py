"""`python3 run.py check` scans the code with bandit; each exception names its rule and its reason."""

import re

from tests.contracts.source_code import ROOT, sources

EXCEPTION = re.compile(r"# nosec\b.*")
EXPLAINED = re.compile(r"# nosec B\d{3}  # \w.+")


def test_each_exception_names_its_rule_and_its_reason() -> None:
    lines = [line for source in sources() for line in (ROOT / source.path).read_text("utf-8").splitlines()]
    found = [each[0] for line in lines if (each := EXCEPTION.search(line))]
    assert len(found) > 10
    assert [each for each in found if not EXPLAINED.fullmatch(each)] == []
