"""Makes a snapshot with DuckDB that is comparable to a run's: FILE THREADS OUTPUT.

De-duplicates by (id, owner, name, time); per owner and event: count, first and last time, last
attributes; sorted by owner, as NDJSON compressed with zstd.

Left out, in favour of DuckDB: validation, migration, rejects, operations on attributes, links between
installations and people, the state for the next night. Times are compared as text, which is wrong
where a log writes them in several ways, but cheaper.
"""

import sys

import duckdb
from query import measured

path, threads, output = sys.argv[1], int(sys.argv[2]), sys.argv[3]
connection = duckdb.connect()
connection.execute(f"set threads = {threads}")

query = f"""
copy (
  with item as (
    select
      coalesce('custom:' || custom_id, 'install:' || installation_id,
        'custom:' || identifiers.custom_id, 'install:' || identifiers.installation_id,
        case when name is null then 'custom:' || id end) as owner,
      unnest(case when name is null then events else [
        struct_pack(id := id, name := name, time := time, attributes := attributes)] end) as event
    from read_json('{path}', format = 'newline_delimited', maximum_object_size = 16777216,
      columns = {{
        id: 'VARCHAR', name: 'VARCHAR', time: 'VARCHAR', attributes: 'JSON',
        custom_id: 'VARCHAR', installation_id: 'VARCHAR',
        identifiers: 'STRUCT(custom_id VARCHAR, installation_id VARCHAR)',
        events: 'STRUCT(id VARCHAR, name VARCHAR, time VARCHAR, attributes JSON)[]'
      }})
  ), event as (
    select owner, event.id as id, event.name as name, event.time as time,
      event.attributes as attributes
    from item
  ), single as (
    select owner, name, time, any_value(attributes) as attributes
    from event where id is not null group by id, owner, name, time
    union all
    select owner, name, time, attributes from event where id is null
  ), register as (
    select owner, name, count(*) as count, min(time) as first_seen, max(time) as last_seen,
      arg_max(attributes, time) as value
    from single where owner is not null group by owner, name
  )
  select owner, list(struct_pack(
      name := name, count := count, first_seen := first_seen, last_seen := last_seen,
      value := value) order by name) as events
  from register group by owner order by owner
) to '{output}' (format json, compression zstd)
"""


def snapshot():
    connection.execute(query)
    # Profiles do not hold anonymous events, so there is no number that a count could be checked by.
    return 0


measured(snapshot)
