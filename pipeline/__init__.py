"""The experiment pipeline: configuration, stages over Delta tables, tracking, report, commands.

Importing a module of this package is cheap: Spark, Delta Lake, MLflow and Great Expectations
are imported by the functions that need them.
"""
