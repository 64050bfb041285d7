"""Prints the functions from the reader to the router; called by scripts/trace-event.sh, which records the calls."""

import itertools
import json
import os
import re
import subprocess
import sys

FIRST, LAST = "ReaderStage.process", "RouterStage.process"
# Properties and subscripts count as values, and what the compiler makes has no source.
NO_FUNCTION = re.compile(
    r"\.(getter|setter|modify|read|unsafeMutableAddressor|(__deallocating_)?deinit)$|__allocating_init|default argument")
# In the order in which data flow. What they share (Record, Pipeline) is not counted.
STAGES = ["Stages/Reader", "Stages/Validator", "Stages/Migration", "Stages/ProfileMerge", "Stages/Aggregation"]


def functions(addresses, program, tools):
    """The folder, name and line of the function at each address, in the order in which they are called.

    A closure belongs to its function.
    """
    distinct = sorted(set(addresses))
    answers = subprocess.run(
        [f"{tools}/llvm-symbolizer", f"--obj={program}", "--no-inlines", "--output-style=JSON"],
        input="\n".join(distinct), capture_output=True, text=True, check=True).stdout
    frames = [json.loads(line)["Symbol"][0] for line in answers.splitlines()]
    names = subprocess.run(
        [f"{tools}/swift-demangle", "--simplified"], input="\n".join(frame["FunctionName"] for frame in frames),
        capture_output=True, text=True, check=True).stdout.splitlines()
    found = {}
    for address, frame, name in zip(distinct, frames, names, strict=True):
        folder, _, file = frame["FileName"].partition("/Sources/")[2].rpartition("/")
        if folder and not NO_FUNCTION.search(name):
            name = re.sub(r".*(closure|\$defer) #\d+ (.* )?in ", "", name)
            found[address] = (folder, name, f"{file}:{frame['Line']}")
    return [found[address] for address in addresses if address in found]


def stage(folder):
    return next(number for number, stage in enumerate(STAGES) if folder.startswith(stage))


def main(title, program, tools):
    threads = {}
    for call in sys.stdin:
        thread, address = call.split()
        threads.setdefault(thread, []).append(address)
    # One thread takes a block from the reader to the router.
    for addresses in threads.values():
        calls = functions(addresses, program, tools)
        names = [name.partition("(")[0] for _, name, _ in calls]
        if LAST in names:
            break
    end = len(names) - names[::-1].index(LAST)
    calls = calls[end - 1 - names[end - 1::-1].index(FIRST):end]
    counted = [call for call in calls if call[0].startswith(tuple(STAGES))]
    back = {(a[1], b[1]) for a, b in itertools.pairwise(counted) if stage(b[0]) < stage(a[0])}
    listed = {}
    for folder, name, line in counted:
        listed.setdefault((folder, name), line)
    changes = sum(a[0] != b[0] for a, b in itertools.pairwise(listed))
    print(f"{title}: {len(listed)} functions, {changes} changes of folder, {len(back)} arrows back; with Pipeline and "
          f"Record {len({(folder, name) for folder, name, line in calls})} functions")
    for folder, group in itertools.groupby(listed, lambda function: function[0]):
        print(f"{folder}")
        for function in group:
            print(f"  {function[1].partition('(')[0]} {listed[function]}")
    for a, b in sorted(back):
        print(f"back: from {a} to {b}")


main(*sys.argv[1:])
