"""The packages as octets: a wheel, and an archive for npm. The same contents and version make the same octets.

Both formats are written by the standard library. A builder of wheels would need a folder, and is not installed with the registry.
"""

import base64
import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from registry.publication.formats.json_files import to_json
from registry.publication.offline.contents import LARGEST_NAMED, PROOFS, Contents, TooMuchToPackage

FOLDER = Path(__file__).parent
NAME, MODULE = "urn-registry-data", "urn_registry_data"
SUMMARY = "Data of a registry of URN namespaces (RFC 8141), for programs without a network."
LICENSE = "Apache-2.0"
MAX_OCTETS = 400_000
METADATA = f"""\
Metadata-Version: 2.4
Name: {NAME}
Version: {{version}}
Summary: {SUMMARY}
License-Expression: {LICENSE}
Keywords: URN,URI,RFC 8141,namespaces,registry
Requires-Python: >=3.11
Description-Content-Type: text/markdown

{{readme}}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: urn-registry\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def version_of(day: date) -> str:
    """Return the version of the data of a day: YYYY.M.D, which both PyPI and npm accept."""
    return f"{day.year}.{day.month}.{day.day}"


def packages(contents: Contents, version: str) -> dict[str, bytes]:
    """Return both packages by file name. Raises TooMuchToPackage if one has more than MAX_OCTETS."""
    built = {
        f"{MODULE}-{version}-py3-none-any.whl": _wheel(contents, version),
        f"{NAME}-{version}.tgz": _npm_archive(contents, version),
    }
    for name, octets in built.items():
        if len(octets) > MAX_OCTETS:
            raise TooMuchToPackage(
                f"{name} would have {len(octets):,} octets, and a package at most {MAX_OCTETS:,}. Leave out what is large, with "
                f"--leave-out: {_largest(contents)}."
            )
    return built


def _largest(contents: Contents) -> str:
    """Return the names and sizes of the largest parts that can be left out."""
    parts = {**contents["subnamespaces"], PROOFS: contents[PROOFS]}
    sizes = {name: len(gzip.compress(to_json(part).encode())) for name, part in parts.items() if part}
    largest = sorted(sizes, key=lambda name: (-sizes[name], name))[:LARGEST_NAMED]
    return ", ".join(f"{name} ({sizes[name]:,} octets)" for name in largest) or "nothing can be left out"


def _wheel(contents: Contents, version: str) -> bytes:
    """A wheel by https://packaging.python.org/en/latest/specifications/binary-distribution-format/."""
    information = f"{MODULE}-{version}.dist-info"
    metadata = METADATA.format(version=version, readme=_read("README.md").decode())
    files = {
        f"{MODULE}/__init__.py": _read(f"{MODULE}.py"),
        f"{MODULE}/py.typed": b"",
        **{f"{MODULE}/{name}.json": to_json(part).encode() for name, part in contents.items()},
        f"{information}/METADATA": metadata.encode(),
        f"{information}/WHEEL": WHEEL.encode(),
    }
    record = [f"{path},sha256={_digest(content)},{len(content)}" for path, content in files.items()]
    files[f"{information}/RECORD"] = "".join(
        f"{line}\n" for line in (*record, f"{information}/RECORD,,")
    ).encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, content in files.items():
            member = zipfile.ZipInfo(path)  # of 1980, without the time of this run
            member.external_attr = 0o644 << 16
            member.create_system = 3  # Unix, on each system
            archive.writestr(member, content, zipfile.ZIP_DEFLATED, 9)
    return written.getvalue()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _npm_archive(contents: Contents, version: str) -> bytes:
    """An archive for `npm install` and `npm publish`: a tar file with the folder `package`, compressed by gzip."""
    files = {
        # Not sorted: in `exports` the first condition that fits counts, and `default` always fits.
        "package.json": json.dumps(_package(version), indent=2).encode(),
        **{name: _read(name) for name in ("README.md", "index.js", "index.d.ts")},
        **{f"{name}.js": f"export default {to_json(part)};\n".encode() for name, part in contents.items()},
    }
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(f"package/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(written.getvalue(), 9, mtime=0)


def _package(version: str) -> Mapping[str, object]:
    return {
        "name": NAME,
        "version": version,
        "description": SUMMARY,
        "license": LICENSE,
        "type": "module",
        "sideEffects": False,
        "engines": {"node": ">=20"},
        "exports": {"types": "./index.d.ts", "default": "./index.js"},
    }


def _read(name: str) -> bytes:
    return (FOLDER / name).read_bytes()
