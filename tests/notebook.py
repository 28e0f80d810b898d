"""Runs the example notebook as a kernel does, and stores its outputs.

``python -m tests.notebook`` writes them, from the runs in ``GROUPSCALE_WAREHOUSE``: two of preset
`smoke` with different ``consumer_capacity``, and one over a trace.
"""

from __future__ import annotations

import ast
import io
import json
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

NOTEBOOK = Path(__file__).parents[1] / "docs" / "questions.ipynb"


class Executed(NamedTuple):
    """What is left of a notebook's cells.

    Attributes
    ----------
    names
        Their variables.
    outputs
        Outputs of each cell of code in the notebook's format, by id.
    """

    names: dict[str, Any]
    outputs: dict[str, list[dict[str, Any]]]


def parsed() -> dict[str, Any]:
    """The notebook as it is stored."""
    content: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return content


def executed() -> Executed:
    """Run all cells in one namespace; what a cell shows must be showable."""
    done = Executed({}, {})
    for number, cell in enumerate(_code(parsed()), start=1):
        body = ast.parse("".join(cell["source"])).body
        shown = body.pop() if isinstance(body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        # A kernel works in the notebook's folder.
        with redirect_stdout(printed), chdir(NOTEBOOK.parent):
            exec(compile(ast.Module(body, []), cell["id"], "exec"), done.names)
            if isinstance(shown, ast.Expr):
                value = eval(compile(ast.Expression(shown.value), cell["id"], "eval"), done.names)
        done.outputs[cell["id"]] = [*_stream(printed.getvalue()), *_result(value, number)]
    return done


def text(outputs: dict[str, list[dict[str, Any]]]) -> str:
    """All that cells have printed."""
    return "".join("".join(one.get("text", "")) for each in outputs.values() for one in each)


def _code(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _stream(printed: str) -> list[dict[str, Any]]:
    if not printed:
        return []
    return [{"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}]


def _result(value: Any, number: int) -> list[dict[str, Any]]:
    if value is None:
        return []
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data = {"text/html": value._repr_html_().splitlines(keepends=True), **data}
    return [
        {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
    ]


def main() -> None:
    """Store the outputs in the notebook."""
    notebook, outputs = parsed(), executed().outputs
    for number, cell in enumerate(_code(notebook), start=1):
        cell |= {"execution_count": number, "outputs": outputs[cell["id"]]}
    content = json.dumps(notebook, indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(content + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
