"""Lines that Kafka's command-line tools print: what they are, and which cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

OF_OFFSETS, OF_GROUPS = "kafka-get-offsets", "kafka-consumer-groups --describe"

END, COMMITTED = "LOG-END-OFFSET", "CURRENT-OFFSET"
MISSING = frozenset({"-", "unknown", "none", ""})
"""What tools print for an offset that does not exist or that they do not know."""

OFFSET = re.compile(r"([\w.-]+):([0-9]{1,9}):([0-9]{0,19})", re.ASCII)
_ALMOST_OFFSET = re.compile(
    r"[^\s:]+:\S*[0-9]\S*:\S*|[^\s:]+:\S*:\S*[0-9]\S*|"
    r"[\w.-]+(?: \S+)?:[0-9]+: ?[0-9]\S*(?: \S+)?",
    re.ASCII,
)
_NEEDED = frozenset({"TOPIC", "PARTITION", END})
_NUMBERS = frozenset(
    {"PARTITION", "LEADER-EPOCH", COMMITTED, "LOG-START-OFFSET", END, "LAG", "OFFSET-LAG"}
)
_MEMBER = ("CONSUMER-ID", "MEMBER-ID", "OWNER")
_AMOUNT = re.compile(r"-|unknown|none|[0-9]{1,20}|-[0-9]{1,20}", re.IGNORECASE)


class Cells(NamedTuple):
    """A row of a table of groups."""

    group: str
    topic: str
    partition: str
    committed: str
    end: str
    member: str
    host: str
    """`group`, `topic`, `partition`, `committed`, `end`, `member`, `host`: cells as texts; empty
    where the table has no such column."""


class Header(NamedTuple):
    """The header of a table of groups."""

    names: tuple[str, ...]
    """Names of the columns."""
    places: tuple[int, ...]
    """Where each name begins in the line."""

    def cells(self, line: str) -> Cells | None:
        """Cells of a row; None if the line is not one.

        The columns from ``TOPIC`` to the last number have no blanks in their cells; ids of groups
        and clients can have some.
        """
        words = line.split()
        first = self.names.index("TOPIC")
        last = max(place for place, name in enumerate(self.names) if name in _NUMBERS)
        width = last - first + 1
        for start in range(first, len(words) - width + 1):
            if all(map(_AMOUNT.fullmatch, words[start + 1 : start + width])):
                core = dict(zip(self.names[first : last + 1], words[start:], strict=False))
                group = " ".join(words[:start]) if first else ""
                member, host = self._member(line, words[start + width :], last)
                committed = core.get(COMMITTED, "")
                return Cells(
                    group, core["TOPIC"], core["PARTITION"], committed, core[END], member, host
                )
        return None

    def is_almost(self, line: str) -> bool:
        """Whether a line that is no row has the place of one: a topic, then a partition."""
        words = line.split()
        place = self.names.index("PARTITION")
        return len(words) > place + 1 and words[place].isdecimal()

    def _member(self, line: str, words: Sequence[str], last: int) -> tuple[str, str]:
        """Id and host of a member, from the words after the last number."""
        names = self.names[last + 1 :]
        if len(words) == len(names):
            own = dict(zip(names, words, strict=True))
        else:
            bounds = (*self.places[last + 1 :], None)
            own = {
                name: line[bounds[place] : bounds[place + 1]].strip()
                for place, name in enumerate(names)
            }
        member = next((own[name] for name in _MEMBER if name in own), "")
        host = own.get("HOST", "")
        if len(words) != len(names) and not host.startswith("/"):
            slash = next((i for i, word in enumerate(words) if word.startswith("/")), None)
            if slash is not None:
                member, host = " ".join(words[:slash]), words[slash]
        return member, host


def header(line: str) -> Header | None:
    """The header of a table of groups; None if a line is none."""
    words = [(word[0], word.start()) for word in re.finditer(r"\S+", line)]
    names = tuple(name for name, _ in words)
    if not set(names) >= _NEEDED or len(set(names)) < len(names):
        return None
    return Header(names, tuple(place for _, place in words))


def is_almost_offset(line: str) -> bool:
    """Whether a line that is no offset of a partition looks like one."""
    return _ALMOST_OFFSET.fullmatch(line) is not None


_ROW = re.compile(r"\S.*\s[0-9]{1,9}\s+([0-9]{1,19}|-)\s+[0-9]{1,19}\s+([0-9]{1,19}|-)(\s.*)?")
_ASK_DESCRIBE = "save the table of kafka-consumer-groups --describe --group <group> with its header"
_UNREADABLE = (
    (
        re.compile(r".*#PARTITIONS\b.*"),
        f"is a table of members (--members), without offsets; {_ASK_DESCRIBE}",
    ),
    (
        re.compile(r".*#MEMBERS\b.*|.*ASSIGNMENT-STRATEGY\b.*"),
        f"is a table of states (--state), without offsets; {_ASK_DESCRIBE}",
    ),
    (
        re.compile(r"GROUP\s+(TYPE|PROTOCOL|STATE)\b.*"),
        f"is a list of groups (--list), without offsets; {_ASK_DESCRIBE}",
    ),
    (
        re.compile(r"(GROUP, *)?TOPIC, *PARTITION,.*"),
        "is a table of Kafka 0.9 with commas, which is not read; use the tools of Kafka 0.10.1 or "
        "later, or write a CSV with columns timestamp, topic, partition, offset",
    ),
    (
        re.compile(r"[\w.-]+:[0-9]+:[0-9]+(,[0-9]+)+", re.ASCII),
        "has several offsets of a partition; run kafka-get-offsets with --time latest and without "
        "--offsets",
    ),
    (
        re.compile(r"Topic: ?\S+\s.*Partition.*"),
        "is the output of kafka-topics --describe, without offsets; use kafka-get-offsets",
    ),
    (
        re.compile(r"[\w.-]+ \[[0-9]+\] offset -?[0-9]+", re.ASCII),
        "is the output of kcat; write topic:partition:offset instead, as kafka-get-offsets does",
    ),
    (
        re.compile(r"(GROUP\s+)?TOPIC\s+PARTITION\b.*|PARTITION\s+LEADER\b.*"),
        f"is a table without the column {END}; {_ASK_DESCRIBE}",
    ),
    (_ROW, f"has rows of a table of groups without its header; {_ASK_DESCRIBE}"),
)


def unreadable(line: str) -> str:
    """Why a line of Kafka's tools cannot be read, and what to do; empty for all other lines."""
    text = line.strip()
    if header(text) is not None:
        return ""
    return next((words for form, words in _UNREADABLE if form.fullmatch(text)), "")
