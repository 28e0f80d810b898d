"""The recipe for a form of traces in docs/architecture.md: a module, and a line of the list."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.inputs.traces import format_list, formats, load
from tests import guides
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit

LINES = "orders/1 @ 0 = 5\norders/0 @ 0 = 0\norders/1 @ 60 = 65\norders/0 @ 60 = 120\n"


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The form of the recipe is added, as the recipe says."""
    code = guides.block("docs/architecture.md", '"""Lines of a monitor')
    (tmp_path / "monitor_lines.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
    module = import_module("pipeline.inputs.traces.formats.monitor_lines")
    line = format_list.Format("monitor_lines", module.looks_like)
    monkeypatch.setattr(format_list, "FORMATS", (line, *format_list.FORMATS))


@pytest.mark.usefixtures("listed")
def test_a_new_form_is_a_module_and_a_line(tmp_path: Path) -> None:
    trace = loaded(tmp_path, LINES, "t.txt")
    assert trace.partitions == ("orders/0", "orders/1")
    assert trace.rates.tolist() == [[2.0, 1.0]]
    assert (trace.unit, trace.form) == ("messages/s", "monitor lines, offsets turned into rates")
    rows = LINES.replace(" @ ", ",").replace(" = ", ",")
    other = loaded(tmp_path, "partition,timestamp,offset\n" + rows)
    assert (other.digest, other.partitions) == (trace.digest, trace.partitions)


@pytest.mark.usefixtures("listed")
def test_a_new_form_has_the_limits_of_all(tmp_path: Path) -> None:
    assert refusal(tmp_path, LINES + "?\n", "t.txt").startswith(":5: must be name @ time = offset")
    long = "x" * 1001
    assert "can have at most 1,000 characters" in refusal(tmp_path, f"{long} @ 0 = 1\n", "t.txt")
    assert "at two or more times" in refusal(tmp_path, "orders/0 @ 0 = 1\n", "t.txt")
    (tmp_path / "t.txt").write_text(LINES)
    with pytest.raises(InputError, match="--values rates does not apply to monitor lines, which"):
        load(tmp_path / "t.txt", values="rates")


def test_every_module_that_reads_files_is_listed() -> None:
    read = {
        name
        for _, name, _ in pkgutil.iter_modules(formats.__path__)
        if _reads(import_module(f"{formats.__name__}.{name}"))
    }
    assert read == {form.module for form in format_list.FORMATS}


def _reads(module: object) -> bool:
    read = getattr(module, "read", None)
    return read is not None and list(inspect.signature(read).parameters)[1:] in (["reading"], ["_"])
