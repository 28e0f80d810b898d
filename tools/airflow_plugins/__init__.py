"""Airflow plugins of this repository."""
