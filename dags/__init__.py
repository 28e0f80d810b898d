"""Airflow DAGs: declarations only; their tasks are in `pipeline.orchestration.tasks`."""
