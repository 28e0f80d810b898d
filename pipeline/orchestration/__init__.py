"""The pipeline under Airflow: tasks, parameters, schedule, alerts and pages."""
