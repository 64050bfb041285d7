"""Runs commands in turns and compares them with the first of their group: PLAN ROUNDS.

PLAN is a JSON file: [{"group", "name", "command": [...], "scale"?}, ...]. The first of a group is
ours. In every round each command runs once, so that whatever disturbs the machine disturbs all. A
command that prints {"seconds", "events"} as its last line is timed by itself; any other from start
to end. `scale` is the factor from the work a command does to the work of its group.

Prints a table in Markdown. CPU and memory are those of the whole process, as the system tells them;
the memory of a pipe of programs is that of the largest.
"""

import json
import os
import statistics
import subprocess
import sys
import time


def run(command):
    """Runs `command`: wall seconds, CPU seconds, peak memory in MiB, events counted or None."""
    with open(os.path.join(os.environ["WORK"], "output"), "w+b") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{errors.decode()}")
        output.seek(0)
        lines = output.read().splitlines()
    events = None
    rows = [json.loads(line) for line in lines if line.startswith(b"{")]
    if rows and "seconds" in rows[-1] and "events" in rows[-1] and "ledger" not in rows[-1]:
        wall, events = rows[-1]["seconds"], rows[-1]["events"]
    elif rows and all("count" in row for row in rows):
        events = sum(row["count"] for row in rows)
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, events


def check(plan, results):
    """All counts of a group have to be the same, or something else was measured."""
    for group in dict.fromkeys(entry["group"] for entry in plan):
        counts = {
            entry["name"]: results[index][-1][3]
            for index, entry in enumerate(plan)
            if entry["group"] == group and results[index][-1][3] and not entry.get("scale")
        }
        if len(set(counts.values())) > 1:
            sys.exit(f"{group}: the counts differ: {counts}")


def table(plan, results):
    """The rows of the table, a group after the other."""
    yield "| work | program | wall s (min–max) | CPU s | peak MiB | wall / ours | ours / theirs |"
    yield "|---|---|---|---|---|---|---|"
    ours = None
    for index, entry in enumerate(plan):
        rounds = results[index]
        scale = entry.get("scale", 1)
        walls = [wall * scale for wall, _, _, _ in rounds]
        if index == 0 or plan[index - 1]["group"] != entry["group"]:
            ours = walls
        ratio = statistics.median(wall / our for wall, our in zip(walls, ours))
        note = " (scaled)" if scale != 1 else ""
        yield (
            f"| {entry['group']} | {entry['name']}{note} "
            f"| {statistics.median(walls):.2f} ({min(walls):.2f}–{max(walls):.2f}) "
            f"| {statistics.median(cpu for _, cpu, _, _ in rounds) * scale:.2f} "
            f"| {statistics.median(peak for _, _, peak, _ in rounds):.0f} "
            f"| {ratio:.2f} | {1 / ratio:.2f} |"
        )


def main():
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    rounds = int(sys.argv[2])
    results = [[] for _ in plan]
    for number in range(rounds):
        for index, entry in enumerate(plan):
            print(
                f"round {number + 1} of {rounds}: {entry['group']}, {entry['name']}",
                file=sys.stderr,
            )
            results[index].append(run(entry["command"]))
        check(plan, results)
    for line in table(plan, results):
        print(line)


main()
