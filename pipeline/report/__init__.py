"""The report of a run: verdicts on the paper's figures, drawings and tables in one HTML file.

To add a figure, write a function in `pipeline.report.figures` that returns a `Figure` or says
why there is none, and add it to ``FIGURES`` there.
"""

from pipeline.report.frames import ReportFrames
from pipeline.report.page import build

__all__ = ["ReportFrames", "build"]
