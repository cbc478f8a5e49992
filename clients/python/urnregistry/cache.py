"""A cache of lookups in a directory: one file for each address, with the ETag and the body."""

import hashlib
import json
import os
import tempfile
from pathlib import Path

from urnregistry.members import MALFORMED
from urnregistry.messages import Response


class LookupCache:
    """Responses that are kept between runs. Several processes can use one directory, which is made when needed."""

    def __init__(self, directory: Path | str) -> None:
        self.directory = Path(directory)
        if os.path.isfile(directory):  # noqa: PTH113 (Path.is_file raises PermissionError)
            raise ValueError(f"“{directory}” is a file. The cache needs a directory.")

    def find(self, address: str) -> Response | None:
        """Return the response that was kept for the address. A file that is not readable counts as missing."""
        try:
            kept = json.loads(self._file(address).read_text("utf-8"))
            if kept["address"] != address:
                return None
            return Response(200, {"etag": str(kept["etag"])}, kept["body"].encode())
        except (OSError, *MALFORMED):
            return None

    def keep(self, address: str, response: Response) -> None:
        """Keep a response that has an ETag which can be sent back. The file is replaced at once, so that no reader sees half of it.

        Raises OSError.
        """
        etag = response.headers.get("etag", "")
        if not etag or not etag.isascii() or not etag.isprintable():
            return
        kept = {"address": address, "etag": etag, "body": response.body.decode()}
        self.directory.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self.directory, prefix=".new-")
        try:
            with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 (a descriptor)
                json.dump(kept, file)
            Path(name).replace(self._file(address))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _file(self, address: str) -> Path:
        return self.directory / f"{hashlib.sha256(address.encode()).hexdigest()}.json"
