"""`manage.py doctor`: what is wrong with a deployment, and what to do."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core import checks

from registry.core.deployment_checks import State, examine
from registry.core.management.base import RegistryCommand

EPILOG = """\
examples:
  manage.py doctor            say what is wrong, and what to do
  manage.py doctor --json     print JSON

It runs the deployment checks of the settings (`manage.py check --deploy`), and looks at the database and its replica, the
worker, the outbox, the head of the audit log, clocks, connections, free disk space and static files. It changes nothing.
Run it as the user and with the environment of the web processes.

exit status: 0 nothing is wrong; 1 something is.
"""


class Command(RegistryCommand):
    help = "Say what is wrong with this deployment, and what to do."
    epilog = EPILOG
    requires_system_checks = ()  # it runs them itself

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        outcomes = examine()
        of_settings = checks.run_checks(include_deployment_checks=True)
        findings = [finding for outcome in outcomes for finding in outcome.findings]
        findings += [each for each in of_settings if each.level >= checks.WARNING and not each.is_silenced()]
        unknown = [outcome.check.part for outcome in outcomes if outcome.state is State.UNKNOWN]
        if options["json"]:
            listing = [_fields(each) for each in findings]
            self.stdout.write(
                json.dumps({"healthy": not findings, "findings": listing, "not_checked": unknown})
            )
        else:
            self._report(findings, unknown)
        if findings:
            raise SystemExit(1)

    def _report(self, findings: list[checks.CheckMessage], unknown: list[str]) -> None:
        for each in findings:
            self.stdout.write(f"{_level(each)} {each.id}: {each.msg}")
            if each.hint:
                self.stdout.write(f"    {each.hint}")
        if unknown:
            self.stdout.write(f"Not checked because of this: {', '.join(unknown)}.")
        if not findings:
            self.stdout.write("Nothing is wrong with this deployment.")


def _level(finding: checks.CheckMessage) -> str:
    return "error" if finding.level >= checks.ERROR else "warning"


def _fields(finding: checks.CheckMessage) -> dict[str, str]:
    return {
        "id": finding.id or "",
        "level": _level(finding),
        "message": finding.msg,
        "hint": finding.hint or "",
    }
