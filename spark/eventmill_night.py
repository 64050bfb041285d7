"""One night of eventmill on Apache Spark: the bytes of `eventmill run`, made by many machines.

    spark-submit --files eventmill spark/eventmill_night.py \
        --logs LOGS --out OUT [--previous OUT] [--partitions N] [--tasks N] [OPTIONS OF RUN]

Partials and what partitions hand to each other travel through Spark's shuffle: what is lost with a
machine is made again from the logs. Workers have to see the logs, the previous output and the
directory of OUT by the same paths. See spark/README.md.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import accumulate

from pyspark import SparkContext, SparkFiles

READ = ["v1", "dialect", "foreign", "identity-keys", "realm-objects", "default-time", "not-before",
        "not-after", "since", "until", "max-line", "unknown-fields"]
WRITE = ["stitch", "dedupe-days"]
FLAGS_OF_READ = ["repair", "keep-going"]
FLAGS_OF_WRITE = ["no-values"]
# Results that another try would not change: wrong use, too many rejects, a damaged input.
RESULTS = (2, 3, 4)
# Bytes behind the manifest of a partial; the first 8 are its length.
TRAILER = 24
# What every partition needs of every other one. Besides, each gets the installations of its people.
SHARED = ("manifest.json", "tally.json", "persons.bin")


class Result(Exception):
    """The night ends with an exit code of eventmill and its message."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def options():
    parser = argparse.ArgumentParser(description="one night of eventmill on Apache Spark")
    parser.add_argument("--logs", nargs="+", required=True, help="files and directories")
    parser.add_argument("--out", required=True, help="the output; it must not exist")
    parser.add_argument("--previous", help="the output of the night before")
    parser.add_argument("--erase", help="whom to erase, one JSON object in each line")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--tasks", type=int, help="partials at most; default: two for each core")
    parser.add_argument("--level", type=int, default=1)
    parser.add_argument("--max-rejects", dest="max_rejects")
    parser.add_argument("--reingest", action="store_true")
    parser.add_argument("--allow-empty", action="store_true")
    parser.add_argument("--eventmill", help="the program; default: from --files, then the PATH")
    for name in READ + WRITE:
        parser.add_argument(f"--{name}", dest=name)
    for name in FLAGS_OF_READ + FLAGS_OF_WRITE:
        parser.add_argument(f"--{name}", dest=name, action="store_true")
    return vars(parser.parse_args())


def given(conf, names, flags):
    """Those of the options that were given, as eventmill takes them."""
    words = []
    for name in names:
        if conf[name] is not None:
            words += [f"--{name}", conf[name]]
    return words + [f"--{name}" for name in flags if conf[name]]


def program(conf):
    if conf["eventmill"]:
        return conf["eventmill"]
    sent = SparkFiles.get("eventmill")
    return sent if os.path.exists(sent) else "eventmill"


def eventmill(conf, words, paths=None):
    """Runs the program to its end, and returns what it prints.

    Raises `Result` for what another try would not change, else `RuntimeError`: then Spark tries the
    task again.
    """
    command = [program(conf), words[0], "--die-with-parent", "--json", "--no-progress", *words[1:]]
    if paths is not None:
        command += ["--from", "-"]
    done = subprocess.run(
        command, cwd=conf["directory"], capture_output=True, text=True,
        input="".join(f"{path}\n" for path in paths or []))
    if done.returncode == 0:
        return done.stdout
    try:
        message = json.loads(done.stderr.strip().splitlines()[-1])["error"]["message"]
    except (IndexError, KeyError, TypeError, ValueError):
        message = done.stderr.strip()
    # With --keep-going a partial that lost a part of its inputs is published all the same.
    if done.returncode == 4 and conf["keep-going"] and words[0] == "partial":
        return done.stdout
    if done.returncode in RESULTS:
        raise Result(done.returncode, message)
    raise RuntimeError(f"eventmill {words[0]} ended with {done.returncode}: {message}")


# What travels is a row (partition, (step, number, {name: bytes})), of a partial {offset: bytes}. The
# partition behind the last one is the driver's.


def files(directory):
    """The files below a directory."""
    content = {}
    for folder, _, found in os.walk(directory):
        for name in found:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                content[os.path.relpath(path, directory)] = file.read()
    return content


def put(content, directory):
    for name, data in content.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def figures(conf, printed):
    """What a task took, as it printed it, as a row for the driver."""
    return conf["partitions"], ("figures", 0, json.loads(printed))


def ranges(file):
    """Where the parts of a partial are: rejects, a spill for each partition, and last its manifest."""
    end = file.seek(-TRAILER, os.SEEK_END)
    start = end - int.from_bytes(file.read(8), "little")
    file.seek(start)
    lengths = [part["bytes"] for part in json.loads(file.read(end - start))["outputs"]]
    ends = list(accumulate(lengths))
    return [*zip([0, *ends], ends), (start, end + TRAILER)]


def cut(file, parts):
    content = {}
    for start, end in parts:
        file.seek(start)
        content[start] = file.read(end - start)
    return content


def put_ranges(content, directory):
    """A partial with holes: what a partition needs of it."""
    os.makedirs(directory)
    with open(f"{directory}/partial", "wb") as file:
        for start, data in content.items():
            file.seek(start)
            file.write(data)


def guarded(conf, task):
    """The rows of a task; a result that is no success is a row for the driver."""
    try:
        with tempfile.TemporaryDirectory(prefix="eventmill-") as scratch:
            yield from task(scratch)
    except Result as result:
        yield conf["partitions"], ("failed", result.code, str(result))


def members(partition, count):
    return f"members-{partition:05d}-of-{count:05d}.spill"


def directory(step, partition, count):
    return f"{step}-{partition:05d}-of-{count:05d}"


def partial(conf, number, inputs):
    """Reads some of the logs; each partition gets its keys."""
    count = conf["partitions"]

    def rows(scratch):
        made = f"{scratch}/partial"
        words = ["partial", "--partitions", str(count), "--level", str(conf["level"]), "--out", made]
        words += given(conf, READ, FLAGS_OF_READ) + ["--jobs", "1"]
        words += ["--previous", conf["previous"]] if conf["previous"] else []
        words += ["--erase", conf["erase"]] if conf["erase"] else []
        words += ["--reingest"] if conf["reingest"] else []
        words += ["--allow-empty"] if not inputs else []
        yield figures(conf, eventmill(conf, words, inputs))
        with open(f"{made}/partial", "rb") as file:
            rejects, *spills, manifest = ranges(file)
            for partition, spill in enumerate(spills):
                parts = [spill, manifest] if partition else [rejects, spill, manifest]
                yield partition, ("partial", number, cut(file, parts))

    yield from guarded(conf, rows)


def merge(conf, step, partition, received):
    """Does a step of merging a partition, with what others have sent it."""
    count = conf["partitions"]

    def rows(scratch):
        partials, others = [], f"{scratch}/merged"
        os.makedirs(others)
        for sender, number, content in received:
            if sender == "partial":
                partials.append(f"{scratch}/partial-{number:05d}")
                put_ranges(content, partials[-1])
            else:
                put(content, f"{others}/{directory(sender, number, count)}")
        words = ["merge", f"--{step}", str(partition), "--level", str(conf["level"]), "--out", others]
        words += given(conf, WRITE, FLAGS_OF_WRITE) + ["--jobs", "1"]
        words += ["--previous", conf["previous"]] if conf["previous"] else []
        words += ["--erase", conf["erase"]] if conf["erase"] else []
        words += ["--reingest"] if conf["reingest"] else []
        yield figures(conf, eventmill(conf, words, sorted(partials)))
        made = f"{others}/{directory(step, partition, count)}"
        if step == "people":
            deliver(conf, made, partition)
            return
        content = files(made)
        shared = {name: content[name] for name in SHARED if name in content}
        for other in range(count):
            sent = shared | {name: content[name] for name in content if name == members(other, count)}
            if other == partition and step == "installations":
                sent |= {name: data for name, data in content.items() if "/" in name}
            yield other, (step, partition, sent)
        small = {name: data for name, data in content.items()
                 if "/" not in name and not name.startswith(("members-", "persons."))}
        yield count, (step, partition, small)

    yield from guarded(conf, rows)


def deliver(conf, made, partition):
    """Puts a finished part beside the output, whole or not at all, whichever try comes first."""
    target = f"{conf['work']}/{directory('people', partition, conf['partitions'])}"
    arriving = tempfile.mkdtemp(prefix=".people-", dir=conf["work"])
    shutil.copytree(made, f"{arriving}/part")
    try:
        os.rename(f"{arriving}/part", target)
    except OSError:
        # Another try was first; the same inputs give the same bytes.
        if not os.path.exists(f"{target}/manifest.json"):
            raise
    finally:
        shutil.rmtree(arriving, ignore_errors=True)


def for_driver(context, rows, conf, name):
    """What a step has sent to the driver. Runs the step; what others read later is kept by Spark."""
    context.setJobDescription(f"eventmill: {name}")
    last = conf["partitions"]
    found = rows.mapPartitionsWithIndex(
        lambda index, content: (row for _, row in content) if index == last else iter(())).collect()
    taken = [row[2] for row in found if row[0] == "figures"]
    seconds = sum(row["processor_seconds"] for row in taken)
    memory = max((row["peak_memory_bytes"] for row in taken), default=0)
    print(f"{name}: {seconds:.1f} s of processor time, at most {memory >> 20} MiB in a task",
          file=sys.stderr)
    failed = sorted((row[1], row[2]) for row in found if row[0] == "failed")
    if failed:
        raise Result(*failed[0])
    return found


def night(context, conf):
    count = conf["partitions"]
    if os.path.exists(f"{conf['out']}/manifest.json"):
        raise Result(2, f"{conf['out']} exists")
    words = ["plan", "--tasks", str(conf["tasks"] or 2 * context.defaultParallelism)]
    words += ["--previous", conf["previous"]] if conf["previous"] else []
    words += ["--reingest"] if conf["reingest"] else []
    words += ["--allow-empty"] if conf["allow_empty"] else []
    # The plan shares out, partials skip: so what was skipped is in the report.
    plan = json.loads(eventmill(conf, words, conf["logs"]))
    groups = [task["inputs"] for task in plan["tasks"]]
    if plan["skipped"] or not groups:
        groups.append(plan["skipped"])

    def shuffled(rows):
        return rows.partitionBy(count + 1, partition_of)

    def step(name, received):
        rows = shuffled(received.mapPartitionsWithIndex(
            lambda index, content: merge(conf, name, index, [row for _, row in content])
            if index < count else iter(())))
        return rows, for_driver(context, rows, conf, name)

    partials = shuffled(
        context.parallelize(list(enumerate(groups)), len(groups))
        .flatMap(lambda task: partial(conf, *task)))
    for_driver(context, partials, conf, "partials")
    received = partials
    rows, small = step("installations", received)
    received = together(received, rows)
    if conf["previous"]:
        rows, _ = step("unchanged", received)
        received = together(received, rows)
    step("people", received)
    for sender, number, content in small:
        if sender == "installations":
            put(content, f"{conf['work']}/{directory(sender, number, count)}")
    words = ["merge", "--finish", "--out", conf["out"], conf["work"]]
    words += ["--erase", conf["erase"]] if conf["erase"] else []
    words += ["--max-rejects", conf["max_rejects"]] if conf["max_rejects"] else []
    return json.loads(eventmill(conf, words))


def together(one, other):
    """The rows of both. They are shuffled in the same way, so that Spark does not do it again."""
    rows = one.union(other)
    assert rows.getNumPartitions() == one.getNumPartitions(), "rows lie where their keys say"
    return rows


def partition_of(key):
    """Where Spark puts a row."""
    return key


def main():
    conf = options()
    for name in ("out", "previous", "erase"):
        conf[name] = conf[name] and os.path.abspath(conf[name])
    # Names of logs stand in the output as they were given, so tasks work where this was started.
    conf["directory"] = os.getcwd()
    conf["work"] = f"{conf['out']}.merge"
    context = SparkContext(appName=f"eventmill {os.path.basename(conf['out'])}")
    code = 0
    try:
        # A driver that died has left its parts, perhaps of other logs.
        shutil.rmtree(conf["work"], ignore_errors=True)
        os.makedirs(conf["work"])
        summary = night(context, conf)
        print(json.dumps(summary))
    except Result as result:
        print(f"error: {result}", file=sys.stderr)
        code = result.code
    finally:
        shutil.rmtree(conf["work"], ignore_errors=True)
        context.stop()
    sys.exit(code)


if __name__ == "__main__":
    main()
