#!/bin/sh
# Refuses the placeholders of .env.example, then writes the password of Airflow's page.
set -eu
if env | grep -q '=change-me$'; then
    echo "groupscale: a secret is still change-me: run docker/new-env.sh" >&2
    exit 2
fi
if [ -n "${AIRFLOW_ADMIN_PASSWORD:-}" ]; then
    umask 077
    python -c 'import json, os; print(json.dumps({"admin": os.environ["AIRFLOW_ADMIN_PASSWORD"]}))' \
        > "$AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"
    unset AIRFLOW_ADMIN_PASSWORD
fi
exec "$@"
