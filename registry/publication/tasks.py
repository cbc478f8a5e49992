"""The periodic job of the worker (`manage.py procrastinate worker`) that measures the files of the registry."""

from procrastinate.contrib.django import app


@app.periodic(cron="*/10 * * * *")
@app.task(name="registry.publication.measure_files", queueing_lock="registry.publication.measure_files")
def measure_files(timestamp: int) -> None:
    # Web processes load this module too, and none of them measures files.
    from registry.publication.file_digests import measure_files

    measure_files()
