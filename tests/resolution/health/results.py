"""Results of checks, without requests."""

from registry.namespaces.models import Namespace
from registry.resolution.health.checking import CheckResult, Finding, Outcome, services_of


def results(namespace: Namespace, *outcomes: Outcome, detail: str = "It was so.") -> list[CheckResult]:
    """One result for each service of a namespace, in order."""
    profile = namespace.current_profile
    assert profile
    findings = [Finding(outcome, detail) for outcome in outcomes]
    return [CheckResult(*pair) for pair in zip(services_of(profile), findings, strict=True)]
