"""Shared by the queries of the other engines: reports how long they took and how much they counted."""

import json
import time


def measured(query):
    """Runs `query`, which returns the number of events it counted, and prints both figures.

    Starting Python and loading the engine is not part of the time: a service would have done so
    before.
    """
    start = time.perf_counter()
    events = query()
    print(json.dumps({"seconds": time.perf_counter() - start, "events": int(events)}))
