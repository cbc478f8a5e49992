"""Changes that another process makes."""

from django.utils import timezone

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.resolution.actions import withdraw_host
from registry.resolution.models import HealthState, ServiceHealth
from tests.resolution.conftest import a_profile_with, a_service

TEMPLATE = "https://trees.example/{nss}"


def withdraw(nid: str) -> None:
    by = User.objects.get(email="administrator@example.org")
    namespace = Namespace.objects.get(nid=nid)
    withdraw_host(namespace, by=by, host="trees.example", reason="It was sold.")


def change_profile(nid: str) -> None:
    profile = a_profile_with(a_service("https://trees.example/new/{nss}"))
    namespace = Namespace.objects.get(nid=nid)
    set_profile(namespace, by=None, profile=profile, basis="It moved.", replaces=1)


def report_down(nid: str) -> None:
    when = timezone.now()
    ServiceHealth.objects.create(
        namespace=Namespace.objects.get(nid=nid),
        template=TEMPLATE,
        state=HealthState.DOWN,
        failures=20,
        checked_at=when,
        failing_since=when,
    )
