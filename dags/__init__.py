"""Airflow DAGs: declarations only; what their tasks do is in `pipeline.orchestration.tasks`."""
