"""What the worker (`manage.py procrastinate worker`) does for the outbox."""

from procrastinate import BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.contrib.django import app
from procrastinate.jobs import Job

from registry.mail import delivery

# Two days, all told: long enough for a weekend's outage, and for a server that asks to be tried again
# later. What the server refuses for good is tried as often: it may be our own settings that are wrong.
WAITS = [1, 5, 15, 60, 120, 240, 480, 480, 480, 480, 480]


class Backoff(BaseRetryStrategy):
    """Wait for as many minutes as WAITS says, then give up."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if job.attempts >= len(WAITS):
            return None
        return RetryDecision(retry_in={"minutes": WAITS[job.attempts]})


@app.task(name="registry.mail.deliver", retry=Backoff())
def deliver(message_id: int) -> None:
    """Send one mail of the outbox."""
    delivery.attempt(message_id)


@app.periodic(cron="*/5 * * * *")
@app.task(
    name="registry.mail.requeue_stalled", queueing_lock="registry.mail.requeue_stalled", pass_context=True
)
async def requeue_stalled(context: JobContext, timestamp: int) -> None:
    """Put back into the queue what a worker that was killed had in hand."""
    jobs = context.app.job_manager
    for job in await jobs.get_stalled_jobs(task_name=deliver.name):
        await jobs.retry_job(job)
