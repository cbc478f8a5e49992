"""Times of requests and imports in a short and in a long list of sub-namespaces of one database, in turn; printed as JSON.

python -m benchmarks.stored_lists ROUNDS NID NID
"""

import os
from collections.abc import Callable
from random import Random

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
django.setup()

from django.db import transaction  # noqa: E402 - they need Django set up
from django.db.models.functions import MD5  # noqa: E402
from django.test import Client  # noqa: E402

from registry.namespaces.models import Namespace  # noqa: E402
from registry.subnamespaces.importing import ListFormat, plan_import, write_list  # noqa: E402
from registry.subnamespaces.lists import judge  # noqa: E402
from registry.subnamespaces.models import SubNamespace  # noqa: E402
from urnsyntax import URN  # noqa: E402

from .profile_checks import WRONG  # noqa: E402
from .terminal import BenchmarkError  # noqa: E402
from .two_sizes import print_times  # noqa: E402

PAGE = "/namespaces/{nid}/subnamespaces/"
API = "/api/v1/namespaces/{nid}/"
REQUESTS = {
    "page of the list": PAGE,
    "page, by status": f"{PAGE}?status=deprecated",
    "page, beginning of a prefix": f"{PAGE}?q=g1:",
    "page, a word of every second one": f"{PAGE}?q=garden",
    "page of one with many below it": f"{PAGE}?prefix=g1",
    "API, the list": f"{API}subnamespaces/",
    "API, those below one": f"{API}subnamespaces/?below=g1",
    "API, one": f"{API}subnamespace/?prefix=g1",
}
NAMES = 1_000  # that are judged


class MeasuredList:
    """What is measured of the list of one namespace."""

    def __init__(self, nid: str) -> None:
        self.namespace = Namespace.objects.select_related("profile").get(nid=nid)
        # Pages are not cached for requests with a cookie.
        self.client = Client(headers={"host": "localhost", "cookie": "theme=none"})
        random = Random(8141)
        prefixes = list(
            SubNamespace.objects.filter(namespace=self.namespace, key__contains=":")
            .order_by(MD5("key"))  # far from each other
            .values_list("prefix", flat=True)[:NAMES]
        )
        self.urns = [
            f"urn:{nid}:{each[: -1 if random.random() < WRONG else None]}-{random.randrange(100)}"
            for each in prefixes
        ]

    def actions(self) -> dict[str, Callable[[], object]]:
        """What is measured, by name."""
        return {
            **{
                name: lambda path=path: self._get(path.format(nid=self.namespace.nid))
                for name, path in REQUESTS.items()
            },
            "look-up and judgement of 100 names": self._judge,
            f"API, {NAMES:,} URNs checked, {WRONG:.0%} wrong": self._check,
            "import of 1 line": lambda: self._import(1),
            "import of 1,000 lines": lambda: self._import(1_000),
        }

    def _get(self, path: str) -> None:
        _expect_success(path, self.client.get(path).status_code)

    def _judge(self) -> None:
        for each in self.urns[:100]:
            judge(self.namespace, URN.parse(each))

    def _check(self) -> None:
        path = "/api/v1/urns/check/"
        sent = {"urns": self.urns, "level": "namespace"}
        _expect_success(path, self.client.post(path, sent, content_type="application/json").status_code)

    def _import(self, lines: int) -> None:
        """Import lines, of which none is in the list, and undo it."""
        document = "\n".join(
            f'{{"prefix": "g2:new{each}", "title": "A garden", "source": "List", "as_of": "2026-01-31"}}'
            for each in range(lines)
        )
        with transaction.atomic():
            change = plan_import(self.namespace, document, list_format=ListFormat.JSON_LINES)
            last = self.namespace.subnamespace_list_versions.last()
            write_list(self.namespace, change, by=None, basis="Benchmark.", last=last)
            transaction.set_rollback(True)


def _expect_success(path: str, status: int) -> None:
    if status != 200:
        raise BenchmarkError(f"{path} was answered with {status}")


if __name__ == "__main__":
    print_times(MeasuredList)
