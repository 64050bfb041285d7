"""Makes a snapshot with Spark alone that is comparable to a run's: LOGS CORES OUTPUT.

The work of duckdb_snapshot.py as a job of Spark's own JSON reader: de-duplicates by (id, owner, name,
time); per owner and event: count, first and last time, last attributes; sorted by owner, as NDJSON.
What is left out there is left out here. Prints the seconds of wall-clock and processor time of the job;
starting Spark is not part of them.
"""

import json
import os
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

logs, cores, output = sys.argv[1], int(sys.argv[2]), sys.argv[3]
spark = (SparkSession.builder.master(f"local[{cores}]").appName("snapshot")
         .config("spark.ui.enabled", False).config("spark.driver.memory", "4g")
         .config("spark.sql.shuffle.partitions", 2 * cores)
         .config("spark.io.compression.codec", "zstd").getOrCreate())
spark.sparkContext.setLogLevel("ERROR")

EVENT = "id STRING, name STRING, time STRING, attributes STRING"
SCHEMA = (f"{EVENT}, custom_id STRING, installation_id STRING, "
          f"identifiers STRUCT<custom_id: STRING, installation_id: STRING>, events ARRAY<STRUCT<{EVENT}>>")


def processor_seconds():
    """Of the engine, which is a process that Python has started, and of Python itself."""
    ticks = os.sysconf("SC_CLK_TCK")
    engine = spark.sparkContext._gateway.proc.pid
    with open(f"/proc/{engine}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return sum(os.times()[:2]) + (int(fields[11]) + int(fields[12])) / ticks


start, used = time.perf_counter(), processor_seconds()
lines = spark.read.schema(SCHEMA).json(logs)
single = f.array(f.struct("id", "name", "time", "attributes"))
events = lines.select(
    f.coalesce(
        f.concat(f.lit("custom:"), "custom_id"), f.concat(f.lit("install:"), "installation_id"),
        f.concat(f.lit("custom:"), "identifiers.custom_id"),
        f.concat(f.lit("install:"), "identifiers.installation_id"),
        f.when(f.col("name").isNull(), f.concat(f.lit("custom:"), "id"))).alias("owner"),
    f.explode(f.when(f.col("name").isNull(), f.col("events")).otherwise(single)).alias("event"),
).select("owner", "event.*")
keys = ["id", "owner", "name", "time"]
distinct = (events.where("id is not null").groupBy(*keys).agg(f.any_value("attributes").alias("attributes"))
            .unionByName(events.where("id is null")))
registers = distinct.where("owner is not null").groupBy("owner", "name").agg(
    f.count("*").alias("count"), f.min("time").alias("first_seen"), f.max("time").alias("last_seen"),
    f.max_by("attributes", "time").alias("value"))
profiles = registers.groupBy("owner").agg(
    f.sort_array(f.collect_list(f.struct("name", "count", "first_seen", "last_seen", "value"))).alias("events"))
profiles.orderBy("owner").write.mode("overwrite").option("compression", "gzip").json(output)
print(json.dumps({"seconds": time.perf_counter() - start, "processor_seconds": processor_seconds() - used}))
spark.stop()
