#!/bin/sh
# Refuses the placeholders of .env.example before there is a database that has them.
set -eu
if env | grep -q '=change-me$'; then
    echo "groupscale: a secret is still change-me: run docker/new-env.sh" >&2
    exit 2
fi
exec docker-entrypoint.sh "$@"
