"""Counts events per name with Polars' streaming engine, with the latest time of each: FILE THREADS.

As in duckdb_count.py, names and times are taken unchanged from the log.
"""

import os
import sys

path, threads = sys.argv[1], sys.argv[2]
# Only read when the library is loaded.
os.environ["POLARS_MAX_THREADS"] = threads

import polars  # noqa: E402
from query import measured  # noqa: E402

SCHEMA = {
    "name": polars.String,
    "time": polars.String,
    "events": polars.List(polars.Struct({"name": polars.String, "time": polars.String})),
}


def count():
    lines = polars.scan_ndjson(path, schema=SCHEMA, ignore_errors=True)
    named = lines.filter(polars.col("name").is_not_null()).select("name", "time")
    listed = (
        lines.select("events").drop_nulls().explode("events").unnest("events")
    )
    counts = (
        polars.concat([named, listed])
        .group_by("name")
        .agg(polars.len().alias("count"), polars.col("time").max())
        .sort("name")
        .collect(engine="streaming")
    )
    return counts["count"].sum()


measured(count)
