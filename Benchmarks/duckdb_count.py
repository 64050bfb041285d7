"""Counts events per name with DuckDB, with the latest time of each: FILE THREADS.

Names and times are taken as they stand in the log, so that the query does no more than it must: our
count also validates, normalises names and times, and leaves duplicates out.
"""

import sys

import duckdb
from query import measured

path, threads = sys.argv[1], int(sys.argv[2])
connection = duckdb.connect()
connection.execute(f"set threads = {threads}")

query = f"""
with line as (
  select * from read_json('{path}', format = 'newline_delimited', maximum_object_size = 16777216,
    columns = {{name: 'VARCHAR', time: 'VARCHAR', events: 'STRUCT(name VARCHAR, time VARCHAR)[]'}})
), event as (
  select name, time from line where name is not null
  union all
  select item.name, item.time from line, unnest(line.events) list(item)
)
select name, count(*), max(time) from event group by name order by name
"""

measured(lambda: sum(row[1] for row in connection.execute(query).fetchall()))
