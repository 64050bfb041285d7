"""Counts events per name with ClickHouse's engine, with the latest time of each: FILE THREADS.

As in duckdb_count.py, names and times are taken unchanged from the log.
"""

import sys

import chdb
from query import measured

path, threads = sys.argv[1], int(sys.argv[2])

query = f"""
select event.1, count(), max(event.2)
from (
  select arrayJoin(if(name = '', events, [(name, time)])) as event
  from file('{path}', JSONEachRow,
    'name String, time String, events Array(Tuple(name String, time String))')
)
group by event.1 order by event.1
settings max_threads = {threads}
"""


def count():
    rows = chdb.query(query, "CSV").bytes().decode().splitlines()
    return sum(int(row.split(",")[1]) for row in rows)


measured(count)
