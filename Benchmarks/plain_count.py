"""Counts events per name with nothing but Python, with the latest time of each: FILE.

Reads NDJSON that is not compressed.
"""

import json
import sys

from query import measured


def count():
    counts = {}

    def add(name, time):
        seen = counts.get(name)
        counts[name] = (1, time) if seen is None else (seen[0] + 1, max(seen[1], time))

    with open(sys.argv[1], "rb") as lines:
        for line in lines:
            record = json.loads(line)
            name = record.get("name")
            if name is not None:
                add(name, str(record.get("time")))
            else:
                for event in record.get("events", ()):
                    add(event["name"], str(event.get("time")))
    return sum(count for count, _ in counts.values())


measured(count)
