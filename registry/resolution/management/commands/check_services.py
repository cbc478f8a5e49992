"""`manage.py check_services`: check whether the services of namespaces work."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand
from registry.core.validators import first_of
from registry.resolution.health.checking import CheckResult
from registry.resolution.health.runs import CheckRun, check_services
from registry.resolution.models import ListedService

EPILOG = """\
examples:
  manage.py check_services                        all services
  manage.py check_services --nid ietf --nid isbn  those of two namespaces
  manage.py check_services --json                 one JSON object for programs

The command requests up to three examples of each service over HTTPS, records the replies, and adds mails about changes
of health to the outbox. The worker does the same every day, unless CHECK_SERVICES is 0; that does not affect the
command. Each failure counts: three in a row make a service degraded, and after 14 days it is down.

exit status: 0 no service fails; 1 a service fails, or nothing was recorded because the network can't be reached or
another check is running; 2 usage error, such as a NID without services.
"""


class Command(RegistryCommand):
    help = "Check whether the services of namespaces work, and record it."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--nid", action="append", dest="nids", metavar="NID", help="may be repeated; default: all"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        nids = [nid.lower() for nid in options["nids"] or []]
        _check_known(nids)
        run = check_services(nids or None)
        if options["json"]:
            self.stdout.write(json.dumps(_report(run), ensure_ascii=False))
        else:
            self._print(run)
        if run.failed:
            sys.exit(1)

    def _print(self, run: CheckRun) -> None:
        for each in run.results:
            service, finding = each.service, each.finding
            self.stdout.write(
                f"{service.nid:12} {finding.outcome:9} {service.title} ({service.host}): {finding.detail}"
            )
        count = len(run.results)
        self.stdout.write(
            f"{count:,} {'service' if count == 1 else 'services'} checked: {len(run.failed):,} failed, "
            f"{len(run.changes):,} changed their health"
        )


def _check_known(nids: list[str]) -> None:
    known = set(ListedService.objects.filter(nid__in=nids).values_list("nid", flat=True))
    if unknown := [nid for nid in nids if nid not in known]:
        raise CommandError(
            f"There are no services of {first_of(unknown)}. `manage.py check_services` checks all.",
            returncode=2,
        )


def _report(run: CheckRun) -> dict[str, Any]:
    changes = [
        {
            "nid": each.namespace.nid,
            "template": each.service.template,
            "before": each.before,
            "after": each.after.state,
        }
        for each in run.changes
    ]
    return {"results": [_result(each) for each in run.results], "changes": changes}


def _result(result: CheckResult) -> dict[str, Any]:
    service, finding = result.service, result.finding
    return {
        "nid": service.nid,
        "title": service.title,
        "template": service.template,
        "outcome": finding.outcome,
        "detail": finding.detail,
    }
