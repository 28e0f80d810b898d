"""Pages of an import that is not complete yet, beside its output: what it goes on from."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.base.errors import StageError
from pipeline.inputs.prometheus.time_range import TimeRange


def folder_of(output: Path) -> Path:
    """Folder of the pages of an output."""
    return output.with_name(f"{output.name}.pages")


class StoredPages:
    """Answers as files, named by their query and their range.

    folder: Is made with the first page.
    server: Address of the Prometheus, and tenant: pages of another one do not count.
    """

    def __init__(self, folder: Path, server: str) -> None:
        self.folder, self._server = folder, server

    def file(self, query: str, page: TimeRange) -> Path:
        """The file of a page."""
        asked = f"{self._server}\n{query}\n{page.step}"
        digest = hashlib.sha256(asked.encode()).hexdigest()[:12]
        return self.folder / f"{digest}-{page.start}-{page.end}.json"

    def load(self, query: str, page: TimeRange) -> dict[str, Any] | None:
        """The answer of a page; None if it is not stored, or its file is damaged."""
        try:
            content = json.loads(self.file(query, page).read_bytes())
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) else None

    def store(self, query: str, page: TimeRange, answer: Mapping[str, Any]) -> None:
        """Store an answer: the file appears with all of it.

        Raises StageError if it cannot be written.
        """
        file = self.file(query, page)
        try:
            self.folder.mkdir(exist_ok=True)
            descriptor, place = tempfile.mkstemp(prefix=".page-", dir=self.folder)
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                    json.dump(answer, out, ensure_ascii=True, separators=(",", ":"))
                    out.write("\n")
                Path(place).replace(file)
            except BaseException:
                Path(place).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise StageError(f"cannot write {file} ({error.strerror})") from error


def remove(output: Path) -> None:
    """Delete the pages of an output."""
    shutil.rmtree(folder_of(output), ignore_errors=True)
