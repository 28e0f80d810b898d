"""Tests of the science: no Spark, no files."""
