"""Asks a run's scaler as KEDA's trigger ``metrics-api`` does."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

NAMESPACE, NAME = "live", "run"
"""How the scaler's answers are called."""

CALL_S = 3.0
"""Time limit of a request, seconds; after an error KEDA asks once more."""


class NoAnswer(Exception):
    """The scaler has not given a count; the text says why."""


def port_file(folder: Path) -> Path:
    """File in which the scaler says where it listens."""
    return folder / "scaler.json"


class ScalerClient:
    """Asks over HTTP; the scaler need not listen yet.

    folder: Folder of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._file = port_file(folder)

    @property
    def is_listening(self) -> bool:
        """Whether the scaler has said where it listens."""
        return self._file.is_file()

    def ask(self) -> int:
        """The count. Raises NoAnswer if the second request fails too."""
        try:
            return self._asked()
        except NoAnswer:
            return self._asked()

    def _asked(self) -> int:
        try:
            port = json.loads(self._file.read_text(encoding="utf-8"))["port"]
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CALL_S)
            try:
                connection.request("GET", f"/v1/{NAMESPACE}/{NAME}")
                answer = connection.getresponse()
                content = json.loads(answer.read())
            finally:
                connection.close()
            if answer.status == http.client.OK:
                return int(content["replicas"])
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            raise NoAnswer(f"the scaler does not answer: {error}") from None
        raise NoAnswer(f"the scaler answers {answer.status}: {content.get('error')}")
