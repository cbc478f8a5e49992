"""What tests of the review page find on it."""

from registry.cases.case_detail import rounds_of
from registry.cases.models import Case


def advice_on(case: Case) -> tuple[str, str, str]:
    findings = [each for part in rounds_of(case)[0].sections for each in part.findings]
    found = next(each for each in findings if each.severity == "advice")
    return found.section, found.code, found.message


def verdict(case: Case, name: str) -> str:
    return f"/desk/cases/{case.pk}/verdict/{name}/"
