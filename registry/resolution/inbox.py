"""What waits in the inbox about resolution: namespaces whose services have hosts that no one has confirmed."""

from django.db.models import CharField, Exists, F, OuterRef, Value
from django.db.models.expressions import Func
from django.db.models.functions import Lower

from registry.accounts.models import User
from registry.accounts.waiting import Line, WaitingKind, declare
from registry.namespaces.models import Namespace, NamespaceQuerySet
from registry.resolution.models import ConfirmedHost, ListedService


def _part(text: str | Func, mark: str, number: int) -> Func:
    return Func(text, Value(mark), Value(number), function="split_part", output_field=CharField())


# As `ListedService.host`.
HOST = Lower(_part(_part("template", "/", 3), ":", 1))


def with_unconfirmed_hosts(user: User) -> NamespaceQuerySet:
    """The namespaces with unconfirmed hosts that `user` administers.

    Only the hosts of the current profile count. Those of sub-namespaces (`resolution.actions.hosts_of`) would be read anew for
    the header of each page.
    """
    confirmed = ConfirmedHost.objects.filter(namespace__nid=OuterRef("nid"), host=OuterRef("template_host"))
    services = ListedService.objects.filter(nid=OuterRef("nid")).alias(template_host=HOST)
    return Namespace.objects.administered_by(user).filter(Exists(services.filter(~Exists(confirmed))))


declare(
    WaitingKind(
        name="unconfirmed_host",
        label="Hosts to confirm",
        rows=with_unconfirmed_hosts,
        show=lambda namespace: Line(
            f"Services in the current profile of “{namespace.nid}”",
            "check the hosts, and confirm them.",
            f"{namespace.get_absolute_url()}#hosts",
        ),
        # When the profile was set: a correction of it makes no host new, so the summary of the day does not list the row.
        since="profile__set_at",
        nid="nid",
        person=F("organisation__name"),
    )
)
