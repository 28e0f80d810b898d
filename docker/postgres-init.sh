#!/bin/sh
# Run by the image at the first start of an empty volume: two roles, each with its database.
set -eu
# psql reads the passwords from the environment and quotes them as data.
psql --set ON_ERROR_STOP=1 --username postgres --dbname postgres <<'SQL'
\getenv airflow_password AIRFLOW_DB_PASSWORD
\getenv mlflow_password MLFLOW_DB_PASSWORD
CREATE ROLE airflow LOGIN PASSWORD :'airflow_password';
CREATE ROLE mlflow LOGIN PASSWORD :'mlflow_password';
CREATE DATABASE airflow OWNER airflow;
CREATE DATABASE mlflow OWNER mlflow;
REVOKE ALL ON DATABASE postgres, airflow, mlflow FROM PUBLIC;
SQL
