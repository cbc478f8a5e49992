"""What the worker (`manage.py procrastinate worker`) does for the API: it forgets what nobody asks for again."""

from procrastinate.contrib.django import app

from registry.api.framework.idempotency import delete_old_responses
from registry.api.framework.throttling import delete_old_counters


@app.periodic(cron="17 * * * *")
@app.task(name="registry.api.delete_expired", queueing_lock="registry.api.delete_expired")
def delete_expired(timestamp: int) -> None:
    delete_old_responses()
    delete_old_counters()
