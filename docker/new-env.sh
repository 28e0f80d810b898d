#!/bin/sh
# Write docker/.env: .env.example with random secrets, readable by its owner alone.
set -eu
cd "$(dirname "$0")"
target=${1:-.env}
if [ -e "$target" ]; then
    echo "groupscale: $target exists and is left as it is; the databases know its passwords" >&2
    exit 1
fi
umask 077
while IFS= read -r line; do
    case $line in
        # 32 bytes in the alphabet of URLs: what a Fernet key must be, and good for the others.
        *=change-me) echo "${line%change-me}$(head -c 32 /dev/urandom | base64 | tr '+/' '-_')" ;;
        *) echo "$line" ;;
    esac
done < .env.example > "$target.draft"
mv "$target.draft" "$target"
