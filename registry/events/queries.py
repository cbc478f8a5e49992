"""Which events are public."""

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.db.models.expressions import Value
from django.db.models.fields import BooleanField

from registry.audit_log.models import Event
from registry.cases.workflow.table import EVENT_TYPE_BY_NAME
from registry.namespaces.history import event_types


def with_publicity(events: QuerySet[Event, Event]) -> QuerySet[Event, Event]:
    """Annotate each event with `is_public`. It depends on earlier events only, so it never changes.

    The events of a case are public from its first submission on.
    """
    submitted = Event.objects.filter(
        case_number=OuterRef("case_number"), verb="submit", number__lte=OuterRef("number")
    )
    of_case = Q(case_number__isnull=False, verb__in=[*EVENT_TYPE_BY_NAME]) & Q(Exists(submitted))
    of_namespace = Q(case_number=None, verb__in=[*event_types()])
    return events.annotate(
        is_public=Case(
            When(of_case | of_namespace, then=Value(True)),
            default=Value(False),
            output_field=BooleanField(),
        )
    )
