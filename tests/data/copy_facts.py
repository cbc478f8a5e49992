"""Copies facts from the folder `../shared/data` to this folder, with example people in place of those named there."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

COPIED = (
    "iana/urn-namespaces.xml",
    "iana/history/*.xml",
    "iana/2021-07-01.urn-namespaces-*.csv",
    "iana/timeline.csv",
    "vectors/*.jsonl",
)


def facts(source: Path) -> dict[str, bytes]:
    """Return the content of each file by its path in this folder."""
    paths = sorted(path for pattern in COPIED for path in source.glob(pattern))
    texts = {str(path.relative_to(source)): path.read_bytes().decode() for path in paths}
    return {name: text.encode() for name, text in _with_example_people(texts).items()}


def _with_example_people(texts: Mapping[str, str]) -> dict[str, str]:
    """Each person gets one example name in all files; a mail address becomes `person@example.org`."""
    names = {
        name.removesuffix(" (team leader)")
        for text in texts.values()
        for person, experts in re.findall(r"<person id.*>\s*<name>(.+)</name>|<expert>(.+)</expert>", text)
        for name in (person or experts).split(", ")
    }
    examples = {name: f"Example Person {number}" for number, name in enumerate(sorted(names), 1)}
    examples |= {name.replace(" ", "_"): example.replace(" ", "_") for name, example in examples.items()}
    name = re.compile("|".join(map(re.escape, sorted(examples, key=len, reverse=True))))
    # IANA writes "&" in place of "@".
    address = re.compile(r"[\w.-]+(@|&amp;)[\w-]+\.[\w.-]+")
    return {
        path: address.sub(r"person\1example.org", name.sub(lambda found: examples[found[0]], text))
        for path, text in texts.items()
    }


if __name__ == "__main__":
    for name, content in facts(Path(sys.argv[1])).items():
        path = Path(__file__).parent / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
