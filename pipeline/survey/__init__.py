"""What a recorded trace holds, and what a run would make of it: ``groupscale import``."""

from pipeline.survey import text
from pipeline.survey.make import Asked, survey
from pipeline.survey.model import Survey

__all__ = ["Asked", "Survey", "survey", "text"]
