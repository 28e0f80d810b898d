"""The live autoscaler: broker, producer, monitor, controller and consumers, each a process.

Nothing here imports Spark, Delta Lake, Airflow, MLflow or pandas. The protocol between controller
and consumers is pure (`live.protocol`) and tested without a broker.
"""
