"""Recounts daily_counts.ndjson of an output with DuckDB, straight from its logs; called by scripts/test-queries.sh.

What is rejected comes from the rejects, and nothing else from the output.
usage: recount-days.py OUT LOG...
"""

import json
import subprocess
import sys
import tempfile

import duckdb

# One row for each event and each change of a profile that was not rejected.
PARTS = r"""
CREATE TABLE records AS
SELECT file, line, doc,
    coalesce(doc->>'$.identifiers.custom_id', doc->>'$.custom_id', doc->>'$.user_id',
      CASE WHEN (doc->'$.identifiers') IS NULL AND (doc->'$.name') IS NULL THEN doc->>'$.id' END) AS person,
    coalesce(doc->>'$.identifiers.installation_id', doc->>'$.installation_id', doc->>'$.install_id') AS raw_device,
    CASE WHEN regexp_full_match(raw_device, '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}')
      THEN upper(raw_device) ELSE raw_device END AS device,
    (doc->'$.identifiers') IS NULL AS is_v1
FROM (SELECT file, line, text::JSON AS doc FROM lines WHERE json_valid(text) AND json_type(text) = 'OBJECT')
WHERE (file, line) NOT IN (SELECT (file, line) FROM rejects WHERE scope = 'line');

CREATE MACRO instant(value) AS CASE json_type(value)
  WHEN 'VARCHAR' THEN (value->>'$')::TIMESTAMPTZ ELSE make_timestamptz(value::BIGINT * 1000) END;

CREATE TABLE events AS
SELECT file, line, person, device, coalesce(event->>'$.id', event->>'$.event_id') AS id,
    lower(regexp_replace(event->>'$.name', CASE WHEN is_v1 THEN '^([Ee]|ue)\.' ELSE '^$' END, '')) AS name,
    CASE WHEN (event->>'$.untimed') = 'true' THEN NULL
      ELSE instant(coalesce(event->'$.time', doc->'$.time')) END AS time,
    NOT is_v1 AND coalesce(event->>'$.duplicate', '') = 'id' AS is_timeless
FROM (
  SELECT *, unnest(found) AS event, generate_subscripts(found, 1) - 1 AS index
  FROM (
    SELECT *, CASE WHEN is_v1 AND (doc->'$.name') IS NOT NULL THEN [doc]
      ELSE coalesce((doc->'$.events')::JSON[], []) END AS found
    FROM records))
WHERE (file, line, index) NOT IN (SELECT (file, line, index) FROM rejects WHERE scope = 'event');

-- An installation is of the person of its earliest link, at a time of anything that was not rejected.
CREATE TABLE links AS
SELECT device, min({'time': time, 'person': person}).person AS person
FROM (
  SELECT device, person, time FROM events WHERE time IS NOT NULL
  UNION ALL
  SELECT device, person, instant(doc->'$.time')
  FROM (
    SELECT *, len(json_keys(coalesce(doc->'$.attributes', doc->'$.update.values', '{}')))
      + (coalesce(doc->>'$.overwrite', doc->>'$.update.overwrite', '') = 'true')::INT AS changes,
      (SELECT count(*) FROM rejects WHERE rejects.file = records.file AND rejects.line = records.line
        AND scope = 'operation') AS refused
    FROM records)
  WHERE changes > refused OR NOT is_v1 AND (doc->'$.attributes') IS NULL AND (doc->'$.events') IS NULL)
WHERE device IS NOT NULL AND person IS NOT NULL AND time IS NOT NULL
GROUP BY device;

-- The same event twice is one, on the day of its earliest delivery; without an id none is the same.
CREATE TABLE counted AS
SELECT DISTINCT ON (coalesce(id, file || ':' || line || ':' || row),
    coalesce('custom:' || person, 'install:' || device), name, is_timeless, CASE WHEN NOT is_timeless THEN time END) *
FROM (SELECT *, row_number() OVER () AS row FROM events) ORDER BY time;

CREATE TABLE active AS
SELECT who, day, min(day) OVER (PARTITION BY who) AS first
FROM (
  SELECT DISTINCT coalesce('custom:' || events.person, 'custom:' || links.person, 'install:' || device) AS who,
    (time AT TIME ZONE 'UTC')::DATE AS day
  FROM events LEFT JOIN links USING (device)
  WHERE time IS NOT NULL)
WHERE who IS NOT NULL;
"""

RECOUNT = {
    "events per day and name": (
        "SELECT day, event, count FROM daily WHERE event IS NOT NULL",
        "SELECT (time AT TIME ZONE 'UTC')::DATE, name, count(*) FROM counted GROUP BY ALL",
    ),
    "active and new people per day": (
        "SELECT day, active, new FROM daily WHERE new IS NOT NULL AND active > 0",
        "SELECT day, count(*), count(*) FILTER (day = first) FROM active GROUP BY day",
    ),
    "active people per day and first day": (
        "SELECT day, first, active FROM daily WHERE first IS NOT NULL",
        "SELECT day, first, count(*) FROM active WHERE day - first < 400 GROUP BY ALL",
    ),
    "active people per month": (
        "SELECT month, active FROM daily WHERE month IS NOT NULL",
        "SELECT strftime(day, '%Y-%m'), count(DISTINCT who) FROM active GROUP BY ALL",
    ),
    "active people per week": (
        "SELECT week, active FROM daily WHERE week IS NOT NULL",
        "SELECT strftime(day, '%G-W%V'), count(DISTINCT who) FROM active GROUP BY ALL",
    ),
}

COLUMNS = """{day: 'DATE', first: 'DATE', month: 'VARCHAR', week: 'VARCHAR', event: 'VARCHAR', count: 'BIGINT',
  active: 'BIGINT', new: 'BIGINT'}"""


def main(output, logs):
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    with tempfile.NamedTemporaryFile("w", suffix=".ndjson") as lines:
        for log in logs:
            # Some lines are not UTF-8, which DuckDB's own readers refuse.
            text = subprocess.run(["zstdcat", "-f", log], stdout=subprocess.PIPE, check=True).stdout
            for number, line in enumerate(text.decode(errors="replace").split("\n"), 1):
                print(json.dumps({"file": log, "line": number, "text": line}), file=lines)
        lines.flush()
        database.execute(
            f"CREATE TABLE lines AS SELECT * FROM read_json('{lines.name}',"
            " columns = {file: 'VARCHAR', line: 'INTEGER', text: 'VARCHAR'})"
        )
    database.execute(
        "CREATE TABLE rejects AS SELECT source AS file, line, scope, index"
        f" FROM read_json('{output}/rejects.ndjson.zst',"
        " columns = {source: 'VARCHAR', line: 'INTEGER', scope: 'VARCHAR', index: 'INTEGER'})"
    )
    database.execute(
        f"CREATE TABLE daily AS SELECT * FROM read_json('{output}/daily_counts.ndjson', columns = {COLUMNS})"
    )
    database.execute(PARTS)
    for title, (counted, recounted) in RECOUNT.items():
        assert database.execute(counted).fetchall(), f"{title}: nothing is counted"
        different = database.execute(
            f"((({counted}) EXCEPT ({recounted})) UNION ALL (({recounted}) EXCEPT ({counted}))) ORDER BY ALL"
        ).fetchall()
        assert not different, f"{title} differ: {different[:10]}"
        print(f"recounted: {title}")


main(sys.argv[1], sys.argv[2:])
