"""Lets a witness cosign a head, and kills its process at a step: a line of its code.

Arguments: a folder with `key`, `state.json` and `request`, and the verifier key of the log. For each step a copy of the state is
used in a child of this process. It prints, as JSON, for each step whether the child was killed, and the answer that it gave before.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from urnregistry import witness
from urnregistry.witness import State, Witness, WitnessKey


def main(folder: Path, log: str) -> None:
    key = WitnessKey.parse((folder / "key").read_text(encoding="utf-8").strip())
    body = (folder / "request").read_bytes()
    key.cosign("", 0)  # libraries are loaded before
    steps: list[tuple[bool, str]] = []
    while not steps or steps[-1][0]:
        step = len(steps)
        copy = folder / f"{step}"
        copy.mkdir()
        shutil.copy(folder / "state.json", copy / "state.json")
        child = os.fork()
        if not child:
            run(copy, key, log, body, step)
        _, status = os.waitpid(child, 0)
        answer = copy / "answer"
        is_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        steps.append((is_killed, answer.read_text(encoding="utf-8") if answer.exists() else ""))
    print(json.dumps(steps))


def run(folder: Path, key: WitnessKey, log: str, body: bytes, step: int) -> None:
    left = step

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != witness.__file__:
            return None
        if event == "line":
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
        return trace

    sys.settrace(trace)
    state = State(folder / "state.json", key.verifier)
    answer = Witness(key, state, [log]).add_checkpoint(body)
    sys.settrace(None)
    (folder / "answer").write_text(answer.body, encoding="utf-8")
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
