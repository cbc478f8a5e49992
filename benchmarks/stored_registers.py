"""Times of pages, requests and decisions in a short and in a long register of one database, in turn; printed as JSON.

python -m benchmarks.stored_registers ROUNDS NID NID
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
django.setup()

from django.db import transaction  # noqa: E402 - they need Django set up
from django.test import Client  # noqa: E402

from registry.namespaces.models import Namespace  # noqa: E402
from registry.registers.actions.registers import change_register, register_entry  # noqa: E402
from registry.registers.actions.requests import accept_request, request_entry  # noqa: E402
from registry.registers.models import EntryRequest, Register  # noqa: E402
from registry.registers.policies import Policy  # noqa: E402
from registry.registers.subjects import EntryLooksAlike, EntryTaken  # noqa: E402
from tests.support.factories import a_person  # noqa: E402

from .terminal import BenchmarkError  # noqa: E402
from .two_sizes import print_times  # noqa: E402

PAGE = "/namespaces/{nid}/register/"
API = "/api/v1/namespaces/{nid}/"
WAITING = 10  # requests on the page for the holder


class MeasuredRegister:
    """What is measured of the register of one namespace, for its holder and another person."""

    def __init__(self, nid: str) -> None:
        self.holder, self.requester = (
            a_person(email=f"{who}-of-{nid}@example.org") for who in ("holder", "requester")
        )
        Namespace.objects.filter(nid=nid).update(registrant=self.holder)
        self.register = Register.objects.select_related("namespace__profile").get(namespace__nid=nid)
        # Pages are not cached for requests with a cookie.
        self.visitor = Client(headers={"host": "localhost", "cookie": "theme=none"})
        self.holders_client = Client(headers={"host": "localhost"})
        self.holders_client.force_login(self.holder)
        register_entry(self.register, by=self.holder, label="lima", title="A garden")
        for number in range(WAITING):
            self._request(f"waits-{number}")

    def actions(self) -> dict[str, Callable[[], object]]:
        """What is measured, by name."""
        path = PAGE.format(nid=self.register.namespace.nid)
        return {
            "page of the register": lambda: self._get(self.visitor, path),
            "the same for its holder": lambda: self._get(self.holders_client, path),
            "form of a request": lambda: self._get(self.holders_client, f"{path}request/"),
            "a label, as it is typed": lambda: self._get(
                self.holders_client, f"{path}check/?label=new", headers={"HX-Request": "true"}
            ),
            "API, the register": lambda: self._get(
                self.visitor, f"{API}register/".format(nid=self.register.namespace.nid)
            ),
            "a label that is listed": lambda: self._refused("lima", EntryTaken),
            "a label that looks like it": lambda: self._refused("1ima", EntryLooksAlike),
            "a request for review": lambda: self._undone(lambda: self._request("new")),
            "another policy, an entry at once": lambda: self._undone(self._first_come),
            "a request and its acceptance": lambda: self._undone(self._accept),
            "an entry of the holder": lambda: self._undone(
                lambda: register_entry(self.register, by=self.holder, label="new", title="New")
            ),
        }

    def _get(self, client: Client, path: str, headers: Mapping[str, str] | None = None) -> None:
        status = client.get(path, headers=headers).status_code
        if status != 200:
            raise BenchmarkError(f"{path} was answered with {status}")

    def _request(self, label: str, register_version: int = 1) -> EntryRequest:
        return request_entry(
            self.register,
            by=self.requester,
            label=label,
            title="A garden",
            contact="gardener@example.org",
            register_version=register_version,
        )

    def _refused(self, label: str, refusal: type[Exception]) -> None:
        with suppress(refusal), transaction.atomic():
            self._request(label)
            raise BenchmarkError(f"“{label}” was not refused")

    def _first_come(self) -> None:
        register, policy = self.register, Policy.FIRST_COME
        change_register(
            register, by=self.holder, policy=policy, title=register.title, replaces=register.version
        )
        self._request("new", register.version + 1)

    def _accept(self) -> None:
        made = self._request("new")
        accept_request(made, by=self.holder, revision=made.version)

    def _undone(self, action: Callable[[], object]) -> None:
        with transaction.atomic():
            action()
            transaction.set_rollback(True)


if __name__ == "__main__":
    print_times(MeasuredRegister)
