"""Jobs of the worker (`manage.py worker`) that check domains: when a representative asks, and daily what is due."""

from procrastinate.contrib.django import app
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.manager import JobManager
from procrastinate.tasks import configure_task

# The connection of the caller, as in registry.mail.outbox.
_jobs = JobManager(DjangoConnector())


@app.task(name="registry.domains.check")
def check(key: int) -> None:
    """Check one domain."""
    from registry.domains.checks import check_domain

    check_domain(key)


@app.periodic(cron="41 4 * * *")
@app.task(name="registry.domains.check_due", queueing_lock="registry.domains.check_due")
def check_due(timestamp: int) -> None:
    """Check verified domains again."""
    from registry.domains.checks import check_due_domains

    check_due_domains()


def defer_check(key: int) -> None:
    """Defer a check, in the caller's transaction."""
    configure_task(name=check.name, job_manager=_jobs).defer(key=key)
