# The image of `groupscale scaler`: what it imports, by hash, without Java, Spark, Airflow and MLflow.
ARG PYTHON_IMAGE=python:3.11.13-slim-bookworm
FROM ${PYTHON_IMAGE}

# The user, and the folders that the pod lets it write, are those of docker/Dockerfile.
RUN groupadd --gid 10001 groupscale \
    && useradd --uid 10001 --gid 10001 --create-home groupscale \
    && install --directory --owner 10001 --group 10001 /srv/state /srv/kernels

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    GROUPSCALE_HOME=/opt/groupscale \
    GROUPSCALE_STATE=/srv/state \
    GROUPSCALE_NUMBA_CACHE=/srv/kernels

WORKDIR /opt/groupscale

COPY requirements/scaler.txt requirements/scaler.txt
RUN pip install --no-cache-dir --require-hashes -r requirements/scaler.txt

COPY algorithms algorithms
COPY live live
COPY pipeline pipeline
# Compiled once here: the pod cannot write what Python compiles.
RUN python -m compileall -q algorithms live pipeline \
    && printf '#!/bin/sh\nexec python -m pipeline.cli.app "$@"\n' > /usr/local/bin/groupscale \
    && chmod 755 /usr/local/bin/groupscale

USER 10001:10001
ENTRYPOINT ["groupscale", "scaler"]
