"""What the worker (`manage.py procrastinate worker`) does for the API: it forgets what nobody asks for again."""

from procrastinate.contrib.django import app

from registry.api.idempotency import forget_old_answers
from registry.api.limits import forget_old_tallies


@app.periodic(cron="17 * * * *")
@app.task(name="registry.api.forget", queueing_lock="registry.api.forget")
def forget(timestamp: int) -> None:
    forget_old_answers()
    forget_old_tallies()
