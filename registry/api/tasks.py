"""The periodic job of the worker (`manage.py worker`) that deletes expired data of the API, and withdraws what was granted with
expired tokens.
"""

from procrastinate.contrib.django import app

from registry.accounts.grants import withdraw_grants_of_ended_tokens
from registry.api.framework.idempotency import delete_old_responses
from registry.core.rate_limits import delete_old_counters, delete_sign_in_counters_ahead


@app.periodic(cron="17 * * * *")
@app.task(name="registry.api.delete_expired", queueing_lock="registry.api.delete_expired")
def delete_expired(timestamp: int) -> None:
    delete_old_responses()
    delete_old_counters()
    delete_sign_in_counters_ahead()
    withdraw_grants_of_ended_tokens()
