"""The report of a run: verdicts on the paper's figures, drawings and tables in one HTML file.

To add a figure, write a function in `pipeline.experiments.assignment.sections.figures` that
returns a `Figure` or says why there is none, and add it to ``FIGURES`` there.
"""

from pipeline.experiments.assignment.sections.page import build
from pipeline.warehouse.runs.run_results import Results

__all__ = ["Results", "build"]
