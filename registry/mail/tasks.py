"""Tasks of the worker (`manage.py worker`) for the outbox."""

from procrastinate import BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.contrib.django import app
from procrastinate.jobs import Job

from registry.core.jobs import FIRST
from registry.mail import delivery

# In minutes; two days in total. Mail is sent two minutes after an outage of up to an hour, and after one at a weekend.
# Permanent rejections are retried too, because our settings may be wrong.
WAITS = [1, *[2] * 30, *[15] * 12, *[60] * 8, *[240] * 3, *[480] * 3]


class Backoff(BaseRetryStrategy):
    """Waits for the minutes in WAITS between attempts, then gives up."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if job.attempts >= len(WAITS):
            return None
        return RetryDecision(retry_in={"minutes": WAITS[job.attempts]})


@app.task(name="registry.mail.deliver", retry=Backoff(), priority=FIRST)
def deliver(message_id: int) -> None:
    """Send one mail of the outbox."""
    delivery.attempt(message_id)


@app.periodic(cron="*/5 * * * *")
@app.task(
    name="registry.mail.requeue_stalled", queueing_lock="registry.mail.requeue_stalled", pass_context=True
)
async def requeue_stalled(context: JobContext, timestamp: int) -> None:
    """Requeue the jobs of workers that were killed, which would also keep their locks. Periodic jobs come again anyway."""
    jobs = context.app.job_manager
    for job in await jobs.get_stalled_jobs():
        if job.queueing_lock is None:
            await jobs.retry_job(job)
