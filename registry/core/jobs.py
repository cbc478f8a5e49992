"""The queues of the worker, and jobs that are deferred in the transaction of the caller."""

from typing import Any

from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.jobs import DEFAULT_QUEUE, JobDeferrer
from procrastinate.manager import JobManager
from procrastinate.tasks import Task, configure_task

# Jobs that wait for servers of others: look-ups of names, and requests to addresses that people chose.
OUTGOING = "outgoing"
# Each has slots of its own (`settings.PROCRASTINATE_WORKER_DEFAULTS`), so that no wait for another server holds up mail.
QUEUES = (DEFAULT_QUEUE, OUTGOING)
# The priority of mail, and of webhooks in their queue: the other jobs of a queue come after these.
FIRST = 1

# The database connection of the caller, so that the job belongs to the caller's transaction. The connector of the app is a
# different one if the caller is itself a job.
_jobs = JobManager(DjangoConnector())


def in_transaction(task: Task[Any, Any, Any], *, lock: str | None = None) -> JobDeferrer:
    """A job of a task, to be deferred in the caller's transaction. Jobs with the same lock run one after another."""
    return configure_task(
        name=task.name,
        job_manager=_jobs,
        queue=task.queue,
        priority=task.priority,
        lock=lock or task.lock,
        queueing_lock=task.queueing_lock,
    )


def cancel(job: int) -> None:
    """Cancel a job that has not begun, in the caller's transaction, and delete it."""
    _jobs.cancel_job_by_id(job, delete_job=True)
