#!/bin/sh
# Refuses the placeholders of .env.example, then writes secrets that programs read from files.
set -eu
if env | grep -q '=change-me$'; then
    echo "groupscale: a secret is still change-me: run docker/new-env.sh" >&2
    exit 2
fi
umask 077
if [ -n "${AIRFLOW_ADMIN_PASSWORD:-}" ]; then
    python -c 'import json, os; print(json.dumps({"admin": os.environ["AIRFLOW_ADMIN_PASSWORD"]}))' \
        > "$AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"
    unset AIRFLOW_ADMIN_PASSWORD
fi
if [ -n "${MLFLOW_ADMIN_PASSWORD:-}" ]; then
    python -c 'import os; from tools.services.mlflow_access import users; print(users(os.environ["MLFLOW_BACKEND_STORE_URI"], os.environ["MLFLOW_ADMIN_PASSWORD"]))' \
        > "$MLFLOW_AUTH_CONFIG_PATH"
    unset MLFLOW_ADMIN_PASSWORD
fi
umask 022
exec "$@"
