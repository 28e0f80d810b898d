"""Folders and files of set-up, all of them ignored by git."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The folders below the repository's root."""

    root: Path
    elsewhere: Path | None = None
    """Path of `state`, if it is not below the root."""

    @property
    def requirements(self) -> Path:
        """Pinned versions and hashes of everything that is installed."""
        return self.root / "requirements"

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """Python of the virtual environment."""
        return self.venv / "bin" / "python"

    @property
    def spark(self) -> Path:
        """Spark, as the environment's pyspark brings it."""
        folders = self.venv.glob("lib/python3.*/site-packages/pyspark")
        return next(folders, self.venv / "pyspark")

    @property
    def cache(self) -> Path:
        """Downloads and compiled code: deleting it costs time only."""
        return self.root / ".cache"

    @property
    def jars(self) -> Path:
        """JARs of Delta Lake."""
        return self.cache / "jars"

    @property
    def classes(self) -> Path:
        """Archive of the classes that Spark's JVM loads."""
        return self.cache / "classes" / "spark.jsa"

    @property
    def java(self) -> Path:
        """Link to the Java home that Spark uses."""
        return self.cache / "java"

    @property
    def jre(self) -> Path:
        """Java home that set-up made, if the machine has none."""
        return self.cache / "jre"

    @property
    def state(self) -> Path:
        """Databases and logs of Airflow and MLflow: deleting it loses history."""
        return self.elsewhere or self.root / ".state"

    @property
    def services(self) -> Path:
        """Data, secrets and process ids of what `make up` starts."""
        return self.state / "services"

    @property
    def airflow(self) -> Path:
        """Airflow's home."""
        return self.state / "airflow"

    @property
    def airflow_passwords(self) -> Path:
        """Password of the page of `make airflow`, as Airflow reads it."""
        return self.airflow / "passwords.json"

    @property
    def mlflow(self) -> Path:
        """MLflow's database and artifacts."""
        return self.state / "mlflow"

    @property
    def logs(self) -> Path:
        """Logs of set-up, Airflow and Spark."""
        return self.state / "logs"


def here() -> Layout:
    """Return the layout of the repository that holds this file."""
    state = os.environ.get("GROUPSCALE_STATE")
    root = Path(__file__).resolve().parent.parent
    return Layout(root, Path(state).absolute() if state else None)
