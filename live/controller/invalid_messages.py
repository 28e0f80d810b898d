"""Messages that are not understood: each is counted and written to the journal, none is obeyed."""

from __future__ import annotations

from live.records.journal import Journal


class InvalidMessages:
    """Those of one topic: counts them, and writes an entry ``invalid`` of each."""

    def __init__(self, journal: Journal, topic: str) -> None:
        self._journal, self._topic = journal, topic
        self.count = 0

    def reject(self, why: str) -> None:
        """Count a message and write down what is wrong with it."""
        self.count += 1
        self._journal.write("invalid", number=self.count, topic=self._topic, message=why)
