"""Functions of views that Spark and DuckDB spell differently; each engine defines its own."""

from __future__ import annotations

from typing import NamedTuple


class ViewFunction(NamedTuple):
    """A function by one name in both engines.

    Spark defines it as a temporary function, DuckDB as a macro.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]
    """Name and type in Spark of each."""
    returns: str
    """Type in Spark."""
    spark: str
    """Its expression; empty if Spark has the function."""
    duckdb: str
    """Its expression; empty if DuckDB has the function."""

    @property
    def in_spark(self) -> str:
        """The statement that defines it."""
        typed = ", ".join(f"{name} {kind}" for name, kind in self.parameters)
        return (
            f"CREATE OR REPLACE TEMPORARY FUNCTION {self.name}({typed}) RETURNS {self.returns} "
            f"RETURN {self.spark}"
        )

    @property
    def in_duckdb(self) -> str:
        """The statement that defines it."""
        names = ", ".join(name for name, _ in self.parameters)
        return f"CREATE MACRO {self.name}({names}) AS {self.duckdb}"


_FAMILIES = ("experiments", "autoscaling", "live", "learning", "applications", "pulsar", "brokers")
"""Keys of a configuration with experiments: `experiments` are those of the family assignment."""

_ENTRIES = "ARRAY<STRUCT<experiment: STRING, setting: STRING, value: STRING>>"


def _spark_settings() -> str:
    parts = ", ".join(
        f"coalesce(from_json(get_json_object(config, '$.{key}'), 'array<map<string,string>>'), "
        "array())"
        for key in _FAMILIES
    )
    return (
        f"flatten(transform(concat({parts}), e -> transform(map_entries(e), p -> "
        "named_struct('experiment', e['name'], 'setting', p.key, 'value', p.value))))"
    )


def _duckdb_settings() -> str:
    parts = " || ".join(
        f"coalesce(CAST(json_extract(config, '$.{key}') AS JSON[]), [])" for key in _FAMILIES
    )
    return (
        f"flatten(list_transform({parts}, lambda e: list_transform(json_keys(e), lambda k: "
        "{'experiment': json_extract_string(e, '$.name'), 'setting': k, "
        "'value': json_extract_string(e, '$.\"' || k || '\"')})))"
    )


FUNCTIONS = (
    ViewFunction("explode", (("list", ""),), "", "", "unnest(list)"),
    ViewFunction(
        "epoch", (("moment", "TIMESTAMP"),), "DOUBLE", "unix_micros(moment) / 1000000.0D", ""
    ),
    ViewFunction(
        "sum_of",
        (("numbers", "ARRAY<DOUBLE>"),),
        "DOUBLE",
        "aggregate(numbers, 0.0D, (sum, x) -> sum + coalesce(x, 0.0D))",
        "coalesce(list_sum(numbers), 0.0)",
    ),
    ViewFunction(
        "rate_entries",
        (("partitions", "ARRAY<STRING>"), ("rates", "ARRAY<DOUBLE>")),
        "ARRAY<STRUCT<name: STRING, rate: DOUBLE>>",
        "transform(arrays_zip(partitions, rates), z -> named_struct('name', z.partitions, "
        "'rate', z.rates))",
        "list_transform(list_zip(partitions, rates), lambda z: {'name': z[1], 'rate': z[2]})",
    ),
    ViewFunction(
        "timing_entries",
        (("timings", "STRING"),),
        "ARRAY<STRUCT<stage: STRING, units: ARRAY<STRING>, seconds: DOUBLE>>",
        "from_json(timings, 'array<struct<stage:string,units:array<string>,seconds:double>>')",
        'from_json(timings, \'[{"stage":"VARCHAR","units":["VARCHAR"],"seconds":"DOUBLE"}]\')',
    ),
    ViewFunction(
        "setting_entries", (("config", "STRING"),), _ENTRIES, _spark_settings(), _duckdb_settings()
    ),
)
