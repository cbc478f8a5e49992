"""Checks of settings: `manage.py check --deploy` and `manage.py doctor` run them."""

import os
import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks

from registry.core.deployment.health_checks import Findings
from registry.environment import read


@checks.register(checks.Tags.security, deploy=True)
def check_proxies(**kwargs: Any) -> Findings:
    """A site with HTTPS is behind a proxy, whose headers must be read."""
    if settings.ALLAUTH_TRUSTED_PROXY_COUNT or not settings.PUBLIC_ORIGIN.startswith("https://"):
        return []
    return [
        checks.Warning(
            "TRUSTED_PROXY_COUNT is 0, but PUBLIC_ORIGIN begins with https://: every page redirects to itself, and all "
            "clients share the limits of one address.",
            hint="Set TRUSTED_PROXY_COUNT to the number of proxies (docs/deployment.md, “Reverse proxy”).",
            id="deployment.W004",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def check_metrics_folder(**kwargs: Any) -> Findings:
    """The folder of metrics exists, and has no files of an earlier server."""
    if not (name := read("PROMETHEUS_MULTIPROC_DIR")):
        return []
    folder = Path(name)
    if not folder.is_dir():
        return [
            checks.Error(
                f"PROMETHEUS_MULTIPROC_DIR names {folder}, which is not a directory: there are no metrics.",
                hint="Create it as the user of the web processes, and restart them.",
                id="deployment.E004",
            )
        ]
    writers = {int(found[1]) for file in folder.iterdir() if (found := re.search(r"_(\d+)\.db$", file.name))}
    if not writers or any(map(_is_running, writers)):
        return []
    return [
        checks.Warning(
            f"PROMETHEUS_MULTIPROC_DIR names {folder}, which has files of a server that has ended: they would be counted "
            "again.",
            hint="Empty it before the server starts, for example with RuntimeDirectory= of systemd.",
            id="deployment.W005",
        )
    ]


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it belongs to another user
        return True
    return True
