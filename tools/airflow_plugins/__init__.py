"""The folder that Airflow loads plugins from."""
