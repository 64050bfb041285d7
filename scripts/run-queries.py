"""Runs the queries of docs/guides/querying.md on out/ and tables/ here; called by scripts/test-queries.sh."""

import ast
import datetime
import json
import re
import subprocess
import sys

ENGINES = ["DuckDB", "Polars", "Spark", "jq"]
TABLES = ["profiles", "profile_attributes", "profile_events", "event_counts", "daily_counts"]


def plain(value):
    """A value as JSON has it, so that engines can be compared."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, str) or value is None:
        return value
    return round(float(value), 6)


def rows(result):
    if not isinstance(result, list):
        return [[plain(result)]]
    return [[plain(value) for value in (row if isinstance(row, (list, tuple)) else [row])] for row in result]


def python(code, names):
    """The value of the last expression of `code`."""
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, "docs/guides/querying.md", "exec"), names)
    return eval(compile(last, "docs/guides/querying.md", "eval"), names)


def sections(document):
    """By heading, by engine: the code."""
    found = {}
    for section in re.split(r"^## ", open(document).read(), flags=re.M)[1:]:
        title = section.splitlines()[0]
        found[title] = {
            engine: code
            for names, code in re.findall(r"^\*\*([\w, ]+)\*\*.*?```\w+\n(.*?)```", section, re.M | re.S)
            for engine in names.split(", ")
        }
        assert sorted({*found[title], "jq"}) == sorted(ENGINES), (title, list(found[title]))
    return found


def load(*directories):
    """A database of the exports in `directories`; load.sql finds and leaves its files there."""
    import duckdb
    import os

    here = os.getcwd()
    database = duckdb.connect()
    for directory in directories:
        os.chdir(f"{here}/{directory}")
        database.execute(open("load.sql").read())
    os.chdir(here)
    return database


def main(document):
    queries = sections(document)
    database = load("tables")
    lines = load("lines")
    for table in TABLES:
        query = f"SELECT * FROM {table} ORDER BY ALL"
        loaded = database.execute(query).fetchall()
        assert loaded and loaded == lines.execute(query).fetchall(), table
        database.execute(f"SELECT count(*) FROM 'tables/{table}.parquet'")
        assert database.fetchone()[0] == len(loaded), table
    print("both formats load as the same tables")
    updated, whole = load("before-tables", "changes"), load("after-tables")
    for table in TABLES[:3]:
        query = f"SELECT * FROM {table} ORDER BY ALL"
        assert updated.execute(query).fetchall() == whole.execute(query).fetchall(), table
    print("the changes of a night bring the tables of the night before up to date")
    names = {}
    exec(queries.pop("Loading")["Polars"], names)
    answers = {}
    for title, code in queries.items():
        expected = rows(database.execute(code["DuckDB"]).fetchall())
        if "jq" in code:
            shell = subprocess.run(["bash", "-euo", "pipefail", "-c", code["jq"]], stdout=subprocess.PIPE, check=True)
            found = rows([json.loads(line) for line in shell.stdout.splitlines()])
            assert found == expected, (title, "jq", found, "DuckDB", expected)
        result = python(code["Polars"], names)
        found = result.rows() if hasattr(result, "rows") else result
        assert rows(found) == expected, (title, "Polars", rows(found), "DuckDB", expected)
        assert expected and expected != [[0]], (title, "nothing was found")
        answers[title] = expected
    json.dump(answers, open("answers.json", "w"))
    print(f"{len(answers)} questions: DuckDB, Polars and jq agree")


def main_spark(document):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    queries = sections(document)
    exec(queries.pop("Loading")["Spark"], {"spark": spark})
    for title, expected in json.load(open("answers.json")).items():
        found = rows([tuple(row) for row in spark.sql(queries[title]["Spark"]).collect()])
        assert found == expected, (title, "Spark", found, "DuckDB", expected)
    print("Spark agrees")


if __name__ == "__main__":
    (main_spark if sys.argv[2:] == ["--spark"] else main)(sys.argv[1])
