"""Summary of a recorded trace and preview of its run: ``groupscale import``."""

from pipeline.cli.survey import survey_text
from pipeline.cli.survey.make_survey import survey
from pipeline.cli.survey.survey_options import Asked
from pipeline.inputs.traces.survey.survey_model import Survey

__all__ = ["Asked", "Survey", "survey", "survey_text"]
