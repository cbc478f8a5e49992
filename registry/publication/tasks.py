"""Jobs of the worker (`manage.py worker`): sizes and digests of files, and notifications of the WebSub hub.

Web processes load this module too, and none of them does what the jobs do.
"""

from procrastinate import JobContext
from procrastinate.contrib.django import app

from registry.core.jobs import OUTGOING
from registry.mail.tasks import Backoff


@app.periodic(cron="*/10 * * * *")
@app.task(
    name="registry.publication.measure_files",
    queueing_lock="registry.publication.measure_files",
    pass_context=True,
)
def measure_files(context: JobContext, timestamp: int) -> None:
    """Store the digests of all files. Ends early if the worker is stopped."""
    from registry.publication.file_digests import measure_files

    measure_files(should_stop=context.should_abort)


@app.periodic(cron="* * * * *")
@app.task(
    name="registry.publication.announce_new_entries",
    queueing_lock="registry.publication.announce_new_entries",
)
def announce_new_entries(timestamp: int) -> None:
    from registry.publication.websub import announce_new_entries

    announce_new_entries()


@app.task(name="registry.publication.ping_hub", retry=Backoff(), queue=OUTGOING)
def ping_hub(topic: str) -> None:
    """Notify the hub that a feed has new entries."""
    from registry.publication.websub import ping

    ping(topic)
