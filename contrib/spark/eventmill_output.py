"""Tables of an output of eventmill as DataFrames: its parts are found through its manifest."""

import json

# Attributes are of any type: a string as it is, everything else as JSON.
SCHEMAS = {
    "profiles": """id STRING, kind STRING,
        identifiers STRUCT<custom_id: STRING, installation_id: STRING, installation_ids: ARRAY<STRING>>,
        attributes MAP<STRING, STRING>,
        events MAP<STRING, STRUCT<count: BIGINT, first_seen: TIMESTAMP, last_seen: TIMESTAMP,
            value: MAP<STRING, STRING>>>,
        location STRUCT<latitude: DOUBLE, longitude: DOUBLE, accuracy: DOUBLE, time: TIMESTAMP>,
        opted_out BOOLEAN, opted_out_installations ARRAY<STRING>, first_seen TIMESTAMP, last_seen TIMESTAMP""",
    "event_counts": """name STRING, count BIGINT, first_seen TIMESTAMP, last_seen TIMESTAMP,
        profiles BIGINT, duplicates BIGINT, dialects MAP<STRING, BIGINT>, source_names ARRAY<STRING>""",
    "daily_counts": """complete_from DATE, month STRING, week STRING, day DATE, first DATE, event STRING,
        count BIGINT, active BIGINT, new BIGINT""",
    "rejects": """source STRING, line BIGINT, offset BIGINT, dialect STRING, scope STRING, index BIGINT,
        reasons ARRAY<STRUCT<code: STRING, path: STRING, limit: BIGINT, actual: BIGINT, message: STRING>>,
        raw STRING, raw_base64 STRING, raw_truncated BOOLEAN, repaired BOOLEAN""",
}
# Of an output with --previous.
SCHEMAS["changes"] = f"change STRING, profile STRUCT<{SCHEMAS['profiles']}>"


def read(spark, out, table):
    """The table "profiles", "changes", "event_counts", "daily_counts" or "rejects" of the output in the directory or URI `out`."""
    text = spark.read.text(f"{out}/manifest.json", wholetext=True).first()[0]
    paths = [file["path"] for file in json.loads(text)["outputs"]]
    paths = [f"{out}/{path}" for path in paths
             if path.startswith((f"{table}/", f"{table}.ndjson"))]
    return spark.read.schema(SCHEMAS[table]).json(paths)
