#!/usr/bin/env python3
"""How long a night takes on a cluster: measures every task of two nights alone, then adds them up.

    Benchmarks/cluster.py [--lines 4100000] [--users 600000] [--files 27] [--tasks 16]
                          [--partitions 16] [--workers 16] [--work DIR] [--eventmill PROGRAM]

Each command runs alone, all but the last one, which is short, on one core. The makespan of a step is
that of its tasks on so many workers, longest first; a step begins when the one before it has ended.
The output is compared with that of `run`, byte for byte. An extrapolation to a large night follows: a
model, whose assumptions are printed with it. Needs Python 3 and the zstd program.
"""

import argparse
import filecmp
import heapq
import json
import os
import shutil
import subprocess
import sys
import time


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--eventmill", default=".build/release/eventmill")
    parser.add_argument("--work", default=".build/cluster")
    for name, value in [("lines", 4_100_000), ("users", 600_000), ("files", 27), ("tasks", 16),
                        ("partitions", 16), ("workers", 16)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    return parser.parse_args()


class Task:
    """One command that ran alone."""

    def __init__(self, program, words, inputs=None):
        command = [program, *words, "--quiet", "--no-progress"]
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.PIPE if inputs else None, text=True)
        if inputs:
            with process.stdin as names:
                names.write("".join(f"{name}\n" for name in inputs))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"cluster: {' '.join(command)} ended with {process.returncode}")
        self.wall = time.perf_counter() - start
        self.seconds = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss / 1024


def makespan(tasks, workers):
    """When the last of `tasks` ends if the longest are begun first, each on the first free worker."""
    free = [0.0] * workers
    for seconds in sorted((task.seconds for task in tasks), reverse=True):
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(path) for name in names)


def make_logs(conf, night, folder):
    """Logs of about equal size, of people who come back every night."""
    os.makedirs(folder, exist_ok=True)
    for number in range(conf.files):
        path = f"{folder}/app-{number:03d}.ndjson.zst"
        if os.path.exists(path):
            continue
        lines = subprocess.Popen(
            [conf.eventmill, "generate", "--lines", str(conf.lines // conf.files), "--users",
             str(conf.users), "--seed", str(1000 * night + number), "--start",
             f"2024-06-{night:02d}"], stdout=subprocess.PIPE)
        subprocess.run(["zstd", "-3", "-q", "-f", "-o", f"{path}.new"], stdin=lines.stdout, check=True)
        if lines.wait() != 0:
            sys.exit("cluster: the logs could not be made")
        os.rename(f"{path}.new", path)


def same(one, other):
    """The files that differ, those aside that hold times and hosts."""
    def names(root):
        found = {os.path.relpath(os.path.join(folder, name), root)
                 for folder, _, files in os.walk(root) for name in files}
        return found - {"report.json", "report.html"}

    only = names(one) ^ names(other)
    _, differ, odd = filecmp.cmpfiles(one, other, names(one) & names(other), shallow=False)
    return sorted(only) + differ + odd


def night(conf, number, previous):
    """One night as `run` and in pieces; returns the task of `run` and those of each step."""
    work, logs = f"{conf.work}/night-{number}", f"{conf.work}/logs-{number}"
    make_logs(conf, number, logs)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(f"{work}/partials")
    before = ["--previous", previous] if previous else []
    parts = ["--partitions", str(conf.partitions)]
    whole = Task(conf.eventmill, ["run", "--jobs", "1", *parts, *before, "--out", f"{work}/run", logs])
    plan = json.loads(subprocess.run(
        [conf.eventmill, "cluster", "plan", "--tasks", str(conf.tasks), logs], capture_output=True, check=True).stdout)
    steps = {"partial": []}
    for index, task in enumerate(plan["tasks"]):
        steps["partial"].append(Task(
            conf.eventmill, ["cluster", "partial", "--jobs", "1", *parts, *before, "--out",
                             f"{work}/partials/{index:03d}", "--from", "-"], task["inputs"]))
    partials = [f"{work}/partials/{name}" for name in sorted(os.listdir(f"{work}/partials"))]
    for step in ["installations", *(["unchanged"] if previous else []), "people"]:
        steps[step] = [
            Task(conf.eventmill, ["cluster", "merge", "--step", step, "--partition", str(partition), *before, "--jobs", "1",
                                  "--out", f"{work}/merged", *partials])
            for partition in range(conf.partitions)]
    handed = size(f"{work}/partials")
    steps["finish"] = [Task(
        conf.eventmill, ["cluster", "merge", "--step", "finish", "--out", f"{work}/out", f"{work}/merged"])]
    differ = same(f"{work}/run", f"{work}/out")
    if differ:
        sys.exit(f"cluster: the output differs from that of run: {', '.join(differ)}")
    return whole, steps, {"logs": size(logs), "partials": handed, "output": size(f"{work}/out")}


def report(conf, number, whole, steps):
    total = sum(task.seconds for tasks in steps.values() for task in tasks)
    print(f"\nNight {number}: {conf.lines:,} lines, {conf.files} files, {conf.users:,} people, "
          f"{conf.partitions} partitions; seconds of processor time\n")
    print("| step | tasks | all | longest | share | makespan | peak MiB |")
    print("|---|---|---|---|---|---|---|")
    span = 0
    for step, tasks in steps.items():
        seconds = sum(task.seconds for task in tasks)
        length = makespan(tasks, conf.workers)
        span += length
        print(f"| {step} | {len(tasks)} | {seconds:.2f} | {max(task.seconds for task in tasks):.2f} "
              f"| {100 * seconds / total:.1f} % | {length:.2f} | {max(task.memory for task in tasks):.0f} |")
    print(f"| all of it | | {total:.2f} | | | {span:.2f} | |")
    print(f"| `run`, one core | | {whole.seconds:.2f} | | | | {whole.memory:.0f} |")
    print(f"\nall / run {total / whole.seconds:.2f}; {conf.workers} workers are "
          f"{whole.seconds / span:.1f} times as fast as one core; finish / all "
          f"{steps['finish'][0].seconds / total:.4f}; the same bytes as `run`")


def extrapolate(conf, steps, sizes):
    """A large night by what a line and a profile cost here."""
    lines, profiles, cores, bandwidth, overhead = 1e10, 1e9, 512, 100e6, 2.0
    tasks = {"partial": 4 * cores, "other": 2 * cores}
    seconds = {step: sum(task.seconds for task in found) for step, found in steps.items()}
    start = 0.005
    rows = []
    # What is read and written, in bytes for each line or profile of the measured night.
    people = conf.users
    moved = {
        "partial": (sizes["logs"] + sizes["partials"]) / conf.lines * lines,
        "installations": sizes["partials"] / conf.lines * lines,
        "unchanged": 0,
        "people": sizes["partials"] / conf.lines * lines + sizes["output"] / people * profiles,
    }
    for step in steps:
        if step == "finish":
            # It links files and adds up tallies: by partitions, not by lines.
            each = seconds[step] / conf.partitions * tasks["other"]
            rows.append((step, each, 0.0, each + overhead))
            continue
        # Merging goes over every profile of the night before, reading over every line.
        scale = lines / conf.lines if step == "partial" else max(lines / conf.lines, profiles / people)
        work = max(seconds[step] - start * len(steps[step]), 0) * scale
        transfer = moved[step] / bandwidth / cores
        rows.append((step, work, transfer, work / cores + transfer + overhead * (4 if step == "partial" else 2)))
    print(f"\nA night of {lines:.0e} lines and {profiles:.0e} profiles on {cores} cores, {tasks['partial']} tasks "
          f"of reading, {tasks['other']} partitions; {bandwidth / 1e6:.0f} MB/s of object storage for each core, "
          f"{overhead:.0f} s to start a task. A model: nothing of it was run.\n")
    print("| step | core hours | transfer, s a core | makespan, s |")
    print("|---|---|---|---|")
    for step, work, transfer, span in rows:
        print(f"| {step} | {work / 3600:.1f} | {transfer:.0f} | {span:.0f} |")
    print(f"| all of it | {sum(row[1] for row in rows) / 3600:.1f} | {sum(row[2] for row in rows):.0f} "
          f"| {sum(row[3] for row in rows):.0f} |")


def main():
    conf = options()
    conf.eventmill, conf.work = os.path.abspath(conf.eventmill), os.path.abspath(conf.work)
    previous = None
    for number in (1, 2):
        whole, steps, sizes = night(conf, number, previous)
        report(conf, number, whole, steps)
        previous = f"{conf.work}/night-{number}/run"
    extrapolate(conf, steps, sizes)


main()
