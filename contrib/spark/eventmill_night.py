"""One night of eventmill on Apache Spark: the bytes of `eventmill run`, made by many machines.

    spark-submit --files eventmill contrib/spark/eventmill_night.py \
        --logs LOGS --out OUT [--previous OUT] [--partitions N] [--tasks N] [OPTIONS OF RUN]

Partials and what partitions hand to each other travel through Spark's shuffle: what is lost with a
machine is made again from the logs. Logs, the previous output and OUT are either URIs of file systems
that Hadoop knows (s3a://, hdfs://, file:///), or paths that are the same for all workers. See
contrib/spark/README.md.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from itertools import accumulate, zip_longest

import pyspark
from pyspark import SparkContext, SparkFiles

READ = ["v1", "dialect", "foreign", "identity-keys", "realm-objects", "default-time", "not-before",
        "not-after", "since", "until", "max-line", "unknown-fields"]
WRITE = ["stitch", "dedupe-days"]
FLAGS_OF_READ = ["repair", "keep-going", "no-days"]
FLAGS_OF_WRITE = ["no-values"]
# Results that another try would not change: wrong use, too many rejects, a damaged input.
RESULTS = (2, 3, 4)
# Bytes behind the manifest of a partial; the first 8 are its length.
TRAILER = 24
# What every partition needs of every other one. Besides, each gets the installations of its people.
SHARED = ("manifest.json", "tally.json", "persons.bin")
# What every task needs of the night before; and its parts.
BEFORE = ("manifest.json", "report.json", "state/totals.ndjson.zst")
PART = re.compile(r"(profiles|state|changes)/(part|index)-(\d+)-of-\d+(-[0-9a-f]{16})?\.(ndjson\.)?zst")
# Where a file appears when all of it is there; a rename would copy it.
OBJECT_STORES = ("s3a", "s3", "gs", "oss", "cosn")
# A line of the listing of Hadoop's shell: kind, length, URI.
LISTED = re.compile(r"([-d])\S+ +\S+ .*? +(\d+) \d{4}-\d\d-\d\d \d\d:\d\d (.*)")
# What eventmill reads as a log by its name; of other files the first bytes decide.
LOG = re.compile(r".*\.(ndjson|jsonl|json)(\.(zst|zstd|gz|gzip|bz2|bzip2|xz))?", re.IGNORECASE)
# Calls of it at the same time.
CALLS = 8
# Files that one call of it copies at most.
FILES_A_CALL = 500


class Result(Exception):
    """The night ends with an exit code of eventmill and its message."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def options():
    parser = argparse.ArgumentParser(description="one night of eventmill on Apache Spark")
    parser.add_argument("--logs", nargs="+", required=True, help="files and directories")
    parser.add_argument("--root", help="the URI behind which names of logs begin; default: the top")
    parser.add_argument("--out", required=True, help="the output; it must not exist")
    parser.add_argument("--previous", help="the output of the night before")
    parser.add_argument("--requests", "--erase", dest="erase", help="whom to erase, one JSON object in each line")
    parser.add_argument("--erased-at", dest="erased_at",
                        help="when requests without a time are carried out; default: now")
    parser.add_argument("--honor-opt-out", dest="honor_opt_out", action="store_true")
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
    command = [program(conf), *words, "--die-with-parent", "--json", "--no-progress"]
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
    # With --keep-going a partial that lost a part of its inputs is published anyway.
    if done.returncode == 4 and conf["keep-going"] and words[1] == "partial":
        return done.stdout
    if done.returncode in RESULTS:
        raise Result(done.returncode, message)
    raise RuntimeError(f"eventmill {words[0]} {words[1]} ended with {done.returncode}: {message}")


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


# Files of other file systems, through the shell of Hadoop that every Spark brings along: workers have no
# Java in Python. Each call starts a JVM, so it copies many files.


def is_uri(path):
    return path is not None and re.match("[A-Za-z][A-Za-z0-9+.-]*:/", path) is not None


def hadoop(conf, *words, encoding="utf-8"):
    """Runs a command of Hadoop's shell with the configuration of the driver's."""
    home = os.environ.get("SPARK_HOME") or os.path.dirname(pyspark.__file__)
    with tempfile.TemporaryDirectory(prefix="eventmill-") as directory:
        with open(f"{directory}/core-site.xml", "w", encoding="utf-8") as file:
            file.write(conf["hadoop"])
        return subprocess.run(
            [f"{home}/bin/spark-class", "org.apache.hadoop.fs.FsShell", *words],
            env=os.environ | {"HADOOP_CONF_DIR": directory, "LC_ALL": "C.UTF-8"},
            capture_output=True, encoding=encoding)


def done(conf, *words):
    ended = hadoop(conf, *words)
    if ended.returncode != 0:
        raise RuntimeError(f"Hadoop's {words[0]} ended with {ended.returncode}: {ended.stderr.strip()}")


def listing(conf, *uris):
    """Lengths of the files below `uris`, by their URIs. What is not there has none."""
    ended = hadoop(conf, "-ls", "-R", *map(literal, uris))
    errors = re.findall("^-?ls: .*$", ended.stderr, re.MULTILINE)
    is_missing = [error.endswith(": No such file or directory") for error in errors]
    if ended.returncode != 0 and not (errors and all(is_missing)):
        raise RuntimeError(f"Hadoop's -ls ended with {ended.returncode}: {ended.stderr.strip()}")
    found = {}
    for line in ended.stdout.split("\n")[:-1]:
        match = LISTED.fullmatch(line)
        if not match:
            raise Result(2, f"the name of a log cannot be read in a listing: {line}")
        if match[1] == "-":
            found[match[3]] = int(match[2])
    return found


def beginning(conf, uri):
    """The first kilobyte of a file."""
    ended = hadoop(conf, "-head", literal(uri), encoding=None)
    if ended.returncode != 0:
        raise RuntimeError(f"Hadoop's -head ended with {ended.returncode}: {ended.stderr.decode().strip()}")
    return ended.stdout


def literal(uri):
    """The URI, with no character in it that stands for others."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", uri)


def fetch(conf, files, scratch):
    """Copies the files of URIs to the paths that are their keys."""
    left = list(files.items())
    while left:
        # Those of one call have different names, as they arrive in one directory.
        batch, later = {}, []
        for path, uri in left:
            name = uri.rsplit("/", 1)[1]
            if name in batch or len(batch) == FILES_A_CALL:
                later.append((path, uri))
            else:
                batch[name] = (path, uri)
        with tempfile.TemporaryDirectory(dir=scratch) as arriving:
            done(conf, "-cp", *(literal(uri) for _, uri in batch.values()), f"file://{arriving}/")
            for name, (path, _) in batch.items():
                os.makedirs(os.path.dirname(path), exist_ok=True)
                os.rename(f"{arriving}/{name}", path)
        left = later


def read(conf, path):
    """The content of a small file."""
    if not is_uri(path):
        with open(path, "rb") as file:
            return file.read()
    with tempfile.TemporaryDirectory(prefix="eventmill-") as scratch:
        fetch(conf, {f"{scratch}/file": path}, scratch)
        return read(conf, f"{scratch}/file")


def previous(conf, scratch, partition=None, whole=False):
    """The options that name the night before. A step of a partition gets only the files it reads."""
    if not is_uri(conf["previous"]):
        return ["--previous", conf["previous"]] if conf["previous"] else []
    before = f"{scratch}/before/{os.path.basename(conf['previous'])}"
    small = conf["before"].value
    put(small, before)
    parts = {}
    for file in json.loads(small["manifest.json"])["outputs"]:
        part = PART.fullmatch(file["path"])
        if part and part[1] != "changes" and (whole or int(part[3]) == partition):
            path = f"{before}/{file['path']}"
            if not os.path.exists(path):
                parts[path] = f"{conf['previous']}/{file['path']}"
    fetch(conf, parts, scratch)
    return ["--previous", before]


def commit_parts(conf, made):
    """Puts the parts of a merged partition into the output. Names depend on the content, so an existing
    file of such a name is the same."""
    parts = {}
    with open(f"{made}/manifest.json", encoding="utf-8") as manifest:
        for file in json.load(manifest)["outputs"]:
            if PART.fullmatch(file["path"]):
                name = file["path"].replace(".", f"-{file['xxh64']}.", 1)
                os.rename(f"{made}/{file['path']}", f"{made}/{name}")
                parts[name] = file["bytes"]
    direct = ["-d"] if conf["out"].split(":")[0] in OBJECT_STORES else []
    made = [f"file://{made}/{name}" for name in folders(conf)]
    ended = hadoop(conf, "-cp", *direct, *made, f"{conf['out']}/")
    if ended.returncode == 0:
        return
    # An earlier attempt may have written them.
    found = committed_parts(conf)
    if any(found.get(name) != length for name, length in parts.items()):
        raise RuntimeError(f"Hadoop's -cp ended with {ended.returncode}: {ended.stderr.strip()}")


def folders(conf):
    """The folders of an output that have parts."""
    return ["profiles", "state"] + (["changes"] if conf["previous"] else [])


def committed_parts(conf):
    """The parts in the output, and their lengths."""
    found = listing(conf, *(f"{conf['out']}/{name}" for name in folders(conf)))
    names = {uri[len(conf["out"]) + 1:]: length for uri, length in found.items()}
    return {name: length for name, length in names.items()
            if PART.fullmatch(name.removesuffix("._COPYING_"))}


def commit(conf, made):
    """Puts the files of `merge --step finish` into the output after the parts; the manifest last."""
    with open(f"{made}/manifest.json", encoding="utf-8") as manifest:
        listed = {file["path"]: file["bytes"] for file in json.load(manifest)["outputs"]}
    found = committed_parts(conf)
    missing = [name for name in listed if PART.fullmatch(name) and found.get(name) != listed[name]]
    if missing:
        raise RuntimeError(f"{conf['out']}/{missing[0]} is missing")
    # Leftovers of a dead attempt that read other logs.
    others = [f"{conf['out']}/{name}" for name in found if name not in listed]
    if others:
        done(conf, "-rm", "-skipTrash", *others)
    small = [f"file://{made}/{name}" for name in os.listdir(made) if name != "manifest.json"]
    done(conf, "-cp", "-f", *small, f"{conf['out']}/")
    done(conf, "-cp", f"file://{made}/manifest.json", f"{conf['out']}/manifest.json")


def figures(conf, printed):
    """The figures that a task printed, as a row for the driver."""
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
    """The rows of a task; a failure is a row for the driver."""
    try:
        with tempfile.TemporaryDirectory(prefix="eventmill-") as scratch:
            yield from task(scratch)
    except Result as result:
        yield conf["partitions"], ("failed", result.code, str(result))


def members(partition, count):
    return f"members-{partition:05d}-of-{count:05d}.spill"


def directory(step, partition, count):
    return f"{step}-{partition:05d}-of-{count:05d}"


def erasures(conf, scratch):
    """The options that name whom to erase."""
    if conf["requests"] is None:
        return []
    put({"requests.ndjson": conf["requests"]}, scratch)
    return ["--requests", f"{scratch}/requests.ndjson", "--erased-at", conf["erased_at"]]


def reading(conf, inputs, made, scratch, partition=None):
    """The words with which a task reads some of the logs, and a partition of the night before."""
    words = ["cluster", "partial", "--level", str(conf["level"]), "--out", made]
    words += given(conf, READ, FLAGS_OF_READ) + ["--jobs", "1"]
    words += previous(conf, scratch, partition)
    if conf["root"]:
        logs = f"{scratch}/logs"
        os.makedirs(logs)
        fetch(conf, {f"{logs}/{name}": f"{conf['root']}/{name}" for name in inputs}, scratch)
        words += ["--root", logs]
    words += ["--reingest"] if conf["reingest"] else []
    return words + (["--allow-empty"] if not inputs else [])


def opt_outs(conf, number, inputs, partition):
    """Collects opt-outs from some logs, and from a partition of the night before, for the driver."""

    def rows(scratch):
        made = f"{scratch}/opt-outs"
        words = reading(conf, inputs, made, scratch, partition) + ["--collect-opt-outs"]
        words += ["--partition", str(partition)] if partition is not None else []
        yield figures(conf, eventmill(conf, words, inputs))
        yield conf["partitions"], ("opt-outs", number, files(made))

    yield from guarded(conf, rows)


def partial(conf, number, inputs, collected):
    """Reads some of the logs; each partition gets its keys."""
    count = conf["partitions"]

    def rows(scratch):
        made = f"{scratch}/partial"
        words = reading(conf, inputs, made, scratch) + ["--partitions", str(count)]
        words += erasures(conf, scratch)
        if collected is not None:
            for task, content in collected.value:
                put(content, f"{scratch}/opt-outs/{task}")
            words += ["--honor-opt-out", "--opt-outs", f"{scratch}/opt-outs"]
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
        words = [
            "cluster", "merge", "--step", step, "--partition", str(partition), "--level", str(conf["level"]), "--out",
            others]
        words += given(conf, WRITE, FLAGS_OF_WRITE) + ["--jobs", "1"]
        words += previous(conf, scratch, partition) + erasures(conf, scratch)
        words += ["--reingest"] if conf["reingest"] else []
        try:
            printed = eventmill(conf, words, sorted(partials))
        except Result as result:
            # After a night with other options every part of it is read.
            if result.code != 4 or not is_uri(conf["previous"]):
                raise
            previous(conf, scratch, whole=True)
            printed = eventmill(conf, words, sorted(partials))
        yield figures(conf, printed)
        made = f"{others}/{directory(step, partition, count)}"
        if step == "people":
            if is_uri(conf["out"]):
                commit_parts(conf, made)
                small = {name: read(conf, f"{made}/{name}") for name in ("manifest.json", "tally.json")}
                yield count, (step, partition, small)
            else:
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
    """Puts a finished part beside the output, atomically. The first attempt wins."""
    target = f"{conf['work']}/{directory('people', partition, conf['partitions'])}"
    arriving = tempfile.mkdtemp(prefix=".people-", dir=conf["work"])
    shutil.copytree(made, f"{arriving}/part")
    try:
        os.rename(f"{arriving}/part", target)
    except OSError:
        # Another attempt was first. The same inputs give the same bytes.
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


def prepare(context, conf):
    """Checks the URIs, and broadcasts what all workers need."""
    uris = [log for log in conf["logs"] if is_uri(log)]
    named = [uri for uri in (conf["out"], conf["previous"], conf["erase"], *uris) if is_uri(uri)]
    conf["hadoop"] = core_site(context) if named else None
    conf["requests"] = read(conf, conf["erase"]) if conf["erase"] else None
    if conf["requests"] is not None and not conf["erased_at"]:
        conf["erased_at"] = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        print(f"requests without a time are carried out at {conf['erased_at']}", file=sys.stderr)
    if conf["root"] and not uris:
        raise Result(2, "--root goes with --logs that are URIs")
    if uris:
        conf["directory"] = None
        conf["root"] = conf["root"] or re.match("[^:]+://[^/]*", uris[0])[0]
        others = [log for log in conf["logs"] if not f"{log}/".startswith(f"{conf['root']}/")]
        if others:
            raise Result(2, f"{others[0]} is not below {conf['root']}, and names of logs begin there")
    manifests = [f"{uri}/manifest.json" for uri in (conf["out"], conf["previous"]) if is_uri(uri)]
    found = listing(conf, *manifests) if manifests else {}
    if f"{conf['out']}/manifest.json" in found or os.path.exists(f"{conf['out']}/manifest.json"):
        raise Result(2, f"{conf['out']} exists")
    if is_uri(conf["out"]):
        done(conf, "-mkdir", "-p", *(f"{conf['out']}/{name}" for name in folders(conf)))
    if is_uri(conf["previous"]):
        if f"{conf['previous']}/manifest.json" not in found:
            raise Result(2, f"{conf['previous']} is not an output: it has no manifest.json")
        with tempfile.TemporaryDirectory(dir=conf["work"]) as before:
            fetch(conf, {f"{before}/{name}": f"{conf['previous']}/{name}" for name in BEFORE}, before)
            conf["before"] = context.broadcast(files(before))


def core_site(context):
    """The driver's Hadoop configuration, including all settings that were passed to Spark."""
    copy = context._jvm.org.apache.hadoop.conf.Configuration(context._jsc.hadoopConfiguration())
    # The usual one puts a file of checksums beside each file.
    copy.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem")
    writer = context._jvm.java.io.StringWriter()
    copy.writeXml(writer)
    return writer.toString()


def plan(context, conf):
    """Shares the logs out among tasks."""
    words = ["cluster", "plan", "--tasks", str(conf["tasks"] or 2 * context.defaultParallelism)]
    words += ["--reingest"] if conf["reingest"] else []
    words += ["--allow-empty"] if conf["allow_empty"] else []
    if not conf["root"]:
        words += previous(conf, conf["work"])
        return json.loads(eventmill(conf, words, conf["logs"]))
    # Sparse files with the same names and lengths, and with the first bytes where the name is not that of
    # a log: a plan reads nothing else.
    sketch = f"{conf['work']}/logs"
    os.makedirs(sketch)
    cut = len(conf["root"]) + 1
    found = listing(conf, *conf["logs"])
    named = {uri: uri.rsplit("/", 1)[1] for uri in found}
    others = [uri for uri, name in named.items() if found[uri] and not name.startswith((".", "_"))
              and (name == "manifest.json" or not LOG.fullmatch(name))]
    with ThreadPoolExecutor(CALLS) as pool:
        beginnings = dict(zip(others, pool.map(lambda uri: beginning(conf, uri), others)))
    for uri, length in found.items():
        put({uri[cut:]: beginnings.get(uri, b"")}, sketch)
        os.truncate(f"{sketch}/{uri[cut:]}", length)
    words += ["--root", sketch]
    return json.loads(eventmill(conf, words, [log[cut:] or "." for log in conf["logs"]]))


def partitions_before(conf):
    """How many partitions the night before has."""
    if not conf["previous"]:
        return 0
    manifest = conf["before"].value["manifest.json"] if is_uri(conf["previous"]) else read(
        conf, f"{conf['previous']}/manifest.json")
    return json.loads(manifest)["options"]["partitions"]


def night(context, conf):
    count = conf["partitions"]
    prepare(context, conf)
    # The plan shares out, partials skip: so what was skipped is in the report.
    shares = plan(context, conf)
    ignored = shares["passed_over"]
    if ignored["count"]:
        words = [f"{path} ({kind})" for path, kind in zip(ignored["paths"], ignored["kinds"])]
        print(f"ignored {ignored['count']} other files: {', '.join(words)}", file=sys.stderr)
    groups = [task["inputs"] for task in shares["tasks"]]
    if shares["skipped"] or not groups:
        groups.append(shares["skipped"])

    def shuffled(rows):
        return rows.partitionBy(count + 1, partition_of)

    def step(name, received):
        rows = shuffled(received.mapPartitionsWithIndex(
            lambda index, content: merge(conf, name, index, [row for _, row in content])
            if index < count else iter(())))
        return rows, for_driver(context, rows, conf, name)

    collected = None
    if conf["honor_opt_out"]:
        # Each partial needs those of all logs, and of the whole state before.
        tasks = list(enumerate(zip_longest(groups, range(partitions_before(conf)))))
        rows = shuffled(
            context.parallelize(tasks, len(tasks))
            .flatMap(lambda task: opt_outs(conf, task[0], task[1][0] or [], task[1][1])))
        collected = context.broadcast(
            [row[1:] for row in for_driver(context, rows, conf, "opt-outs") if row[0] == "opt-outs"])
    partials = shuffled(
        context.parallelize(list(enumerate(groups)), len(groups))
        .flatMap(lambda task: partial(conf, *task, collected)))
    for_driver(context, partials, conf, "partials")
    received = partials
    rows, small = step("installations", received)
    received = together(received, rows)
    if conf["previous"]:
        rows, _ = step("unchanged", received)
        received = together(received, rows)
    _, finished = step("people", received)
    merged = f"{conf['work']}/merged" if is_uri(conf["out"]) else conf["work"]
    for sender, number, content in small + finished:
        if sender in ("installations", "people"):
            put(content, f"{merged}/{directory(sender, number, count)}")
    return finish(conf, merged) | {"passed_over": ignored}


def finish(conf, merged):
    """Makes the output of the merged partitions."""
    made = f"{conf['work']}/{os.path.basename(conf['out'])}" if is_uri(conf["out"]) else conf["out"]
    words = ["cluster", "merge", "--step", "finish", "--out", made, merged] + erasures(conf, conf["work"])
    words += ["--max-rejects", conf["max_rejects"]] if conf["max_rejects"] else []
    if not is_uri(conf["out"]):
        return json.loads(eventmill(conf, words))
    try:
        return json.loads(eventmill(conf, words + ["--parts-elsewhere"])) | {"output": conf["out"]}
    finally:
        # With --keep-going the output is made anyway.
        if os.path.exists(f"{made}/manifest.json"):
            commit(conf, made)
        elif os.path.exists(f"{made}.rejected"):
            done(conf, "-cp", "-f", f"file://{made}.rejected", f"{os.path.dirname(conf['out'])}/")


def together(one, other):
    """The rows of both. They are shuffled in the same way, so that Spark does not do it again."""
    rows = one.union(other)
    assert rows.getNumPartitions() == one.getNumPartitions(), "rows lie where their keys say"
    return rows


def partition_of(key):
    """Where Spark puts a row."""
    return key


def whole(path):
    """The path or URI, in the form in which Hadoop lists it."""
    if path is None or not is_uri(path):
        return path and os.path.abspath(path)
    scheme, rest = path.split(":", 1)
    rest = rest if rest.startswith("//") else f"//{rest}"
    return f"{scheme}://{rest[2:].rstrip('/')}"


def main():
    conf = options()
    for name in ("out", "previous", "erase", "root"):
        conf[name] = whole(conf[name])
    # The output contains names of logs as they were given, so tasks run in the driver's directory.
    conf["logs"] = [whole(log) if is_uri(log) else log for log in conf["logs"]]
    conf["directory"] = os.getcwd()
    conf["work"] = f"{conf['out']}.merge"
    if is_uri(conf["out"]):
        conf["work"] = tempfile.mkdtemp(prefix="eventmill-")
    context = SparkContext(appName=f"eventmill {os.path.basename(conf['out'])}")
    code = 0
    try:
        if not is_uri(conf["out"]):
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
