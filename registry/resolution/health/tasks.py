"""The daily job of the worker (`manage.py worker`) that checks the services of namespaces."""

from django.conf import settings
from procrastinate import JobContext
from procrastinate.contrib.django import app

from registry.core.jobs import OUTGOING


@app.periodic(cron="42 3 * * *")
@app.task(
    name="registry.resolution.check_services",
    queueing_lock="registry.resolution.check_services",
    queue=OUTGOING,
    pass_context=True,
)
def check_daily(context: JobContext, timestamp: int) -> None:
    """Check all services, unless CHECK_SERVICES is 0. Ends early if the worker is stopped."""
    # Web processes load this module too, and none of them sends requests.
    from registry.resolution.health.runs import check_services

    if settings.CHECK_SERVICES:
        check_services(should_stop=context.should_abort)
