#!/usr/bin/env python3
"""Checks the tests: does one fail for each of many small faults?

  scripts/seed-faults.py make DIR [--count 220] [--seed 1]   a copy of the project with faults, one build
  scripts/seed-faults.py run DIR [--jobs 1]                  the tests against each fault; goes on where it stopped
  scripts/seed-faults.py unseen DIR                          the faults that no test saw

A fault is a condition that asks whether it is the chosen one: a limit off by one, a comparison turned round, a
statement left out, another unit. One build holds all of them; SEEDED_FAULT chooses. First each suite runs without a
fault and notes which faults it comes past; a fault is then tried by these suites only, the quickest first, up to the
first failure. Same seed, same faults for the same Sources. DIR/faults.tsv holds number, state, place, kind, suite.
"""
import argparse, os, pathlib, random, re, shutil, signal, subprocess, sys, threading, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ["Pipeline", "Stages", "Jobs", "eventmill"]
HOOK = """\
import Glibc

nonisolated(unsafe) private let chosenFault = unsafe getenv("SEEDED_FAULT").map { unsafe atoi($0) } ?? 0
nonisolated(unsafe) private let passedFaults: (file: Int32, seen: UnsafeMutablePointer<Bool>)? = {
  guard let path = unsafe getenv("SEEDED_FAULTS_PASSED") else { return nil }
  let seen = UnsafeMutablePointer<Bool>.allocate(capacity: 100_000)
  unsafe seen.initialize(repeating: false, count: 100_000)
  // Tests close the standard streams, and their numbers must stay free.
  let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
  defer { close(file) }
  return unsafe (fcntl(file, F_DUPFD, 10), seen)
}()

/// Whether fault `number` is the chosen one.
@usableFromInline func seededFault(_ number: Int32) -> Bool {
  if let passed = unsafe passedFaults, unsafe !passed.seen[Int(number)] {
    unsafe passed.seen[Int(number)] = true
    let line = Array("\\(number)\\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(passed.file, $0.baseAddress!, $0.count) }
  }
  return number == chosenFault
}
"""

NAME = r"(?:[A-Za-z_$][\w$]*[?!]?(?:\([^()]*\)|\[[^\[\]]*\])?(?:\.[A-Za-z_]\w*[?!]?(?:\([^()]*\)|\[[^\[\]]*\])?)*)"
OPERAND = rf"(?:{NAME}|-?\d[\d_]*|0x[0-9A-Fa-f_]+)"
BEFORE = r"(?:(?<=\bif )|(?<=\bguard )|(?<=\bwhile )|(?<=\breturn )|(?<=\bwhere )|(?<=&& )|(?<=\|\| )|(?<=, )|(?<=\()|(?<=\{ )|(?<= = ))"
AFTER = r"(?= else\b| \{| &&| \|\||,|\)| \?| \}|$)"
TURNED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}


def kinds(line):
    """Every fault that fits into a line of Swift: (kind, the line with FAULT for the question)."""
    text = line.rstrip("\n")
    stripped = text.strip()
    indent = text[: len(text) - len(stripped)]
    for m in re.finditer(rf"{BEFORE}({OPERAND}) (<=|>=|<|>|==|!=) ({OPERAND}){AFTER}", text):
        a, op, b = m.groups()
        yield ("limit" if op[0] in "<>" else "inverted",
               f"{text[:m.start()]}(FAULT ? {a} {TURNED[op]} {b} : {a} {op} {b}){text[m.end():]}")
    for m in re.finditer(rf"(?:(?<=\bif )|(?<=\bguard )|(?<=&& )|(?<=\|\| ))(!?{NAME})(?= else\b| \{{| &&| \|\|)", text):
        yield "inverted", f"{text[:m.start()]}(FAULT != ({m[1]})){text[m.end():]}"
    m = re.fullmatch(rf"\s*if ({OPERAND}) (&&|\|\|) (!?{OPERAND}) \{{", text)
    if m:
        other = "||" if m[2] == "&&" else "&&"
        yield "and, or", f"{indent}if FAULT ? ({m[1]} {other} {m[3]}) : ({m[1]} {m[2]} {m[3]}) {{"
    if re.fullmatch(r"return (true|false)", stripped):
        yield "inverted", f"{indent}return FAULT != {stripped[7:]}"
    for m in re.finditer(r"(?<= [+\-] )1\b(?![.\w])", text):
        yield "off by one", f"{text[:m.start()]}(FAULT ? 0 : 1){text[m.end():]}"
    for m in re.finditer(r"(?<= [*/] )(\d[\d_]*)\b(?![.\w])", text):
        yield "unit", f"{text[:m.start()]}(FAULT ? 1 : {m[1]}){text[m.end():]}"
    for m in re.finditer(rf"\b(min|max)\(({OPERAND}), ({OPERAND})\)", text):
        other = "max" if m[1] == "min" else "min"
        if not text[: m.start()].endswith("."):
            yield "extreme", f"{text[:m.start()]}(FAULT ? {other}({m[2]}, {m[3]}) : {m[0]}){text[m.end():]}"
    m = re.fullmatch(r"(\s*(?:\w+ )*(?:static )?let \w+(?:: \w+)? = )(\d[\d_]*)", text)
    if m:
        yield "limit", f"{m[1]}FAULT ? {int(m[2].replace('_', '')) + 1} : {m[2]}"
    whole = text.count("(") == text.count(")") and text.count("{") == text.count("}")
    if whole and re.fullmatch(rf"(?:try )?(?:unsafe )?{NAME}\(.*\)|{NAME} (?:[+\-|&]|)= .+", stripped) and (
            not re.match(r"(let|var|return|self\.init|super|case|precondition|assert|fatalError|preconditionFailure|guard|if|"
                         r"while|for|throw|defer|switch|else)\b", stripped) and not stripped.endswith((",", "(", "{", "+", "?", "="))):
        yield "left out", f"{indent}if !FAULT {{ {stripped} }}"


def sites(path):
    """Places of a file where a fault fits: (line number from 0, kind, new line)."""
    lines = path.read_text().split("\n")
    found, text_block = [], False
    for number, line in enumerate(lines):
        if line.count('"""') % 2:
            text_block = not text_block
            continue
        # What a trap asks cannot be asked otherwise by a test.
        if text_block or line.strip().startswith("//") or re.search(r"#| // |\bprecondition\(|\bassert\(", line):
            continue
        following = lines[number + 1].strip() if number + 1 < len(lines) else ""
        before = lines[number - 1].rstrip() if number else ""
        for kind, new in kinds(line):
            if kind == "left out" and (following.startswith((".", "?", ":", "+", "&&", "||", "??")) or
                                       not re.search(r"[{})\]\w\"]$| in$|^$", before) or
                                       before.endswith((" =", " return", "(", ",", "?", ":", "&&", "||"))):
                continue
            found.append((number, kind, new))
    return found


def choose(count, seed):
    """Places spread over the folders by their number of lines, at most one per line and few per file."""
    chance = random.Random(seed)
    files = sorted(p for m in MODULES for p in (ROOT / "Sources" / m).rglob("*.swift"))
    all_sites = {p: sites(p) for p in files}
    sizes = [len(p.read_text().split("\n")) for p in files]
    chosen, taken = [], {}
    for _ in range(count * 50):
        if len(chosen) == count:
            break
        path = chance.choices(files, sizes)[0]
        options = all_sites[path]
        if not options or len(taken.get(path, ())) >= 4:
            continue
        wanted = chance.choice(sorted({kind for _, kind, _ in options}))
        number, kind, new = chance.choice([o for o in options if o[1] == wanted])
        if number in taken.setdefault(path, set()):
            continue
        taken[path].add(number)
        chosen.append((path.relative_to(ROOT), number, kind, new))
    return chosen


class Table:
    """faults.tsv: one row per fault."""

    def __init__(self, directory):
        self.path = pathlib.Path(directory) / "faults.tsv"
        self.rows = [l.split("\t") for l in self.path.read_text().splitlines()] if self.path.exists() else []

    def save(self):
        self.path.write_text("".join("\t".join(r) + "\n" for r in self.rows))


BUILD = ["swift", "build", "--build-tests", "--disable-xctest", "-Xswiftc", "-gnone", "-Xswiftc", "-no-warnings-as-errors"]


def make(directory, count, seed):
    copy = pathlib.Path(directory)
    if copy.exists():
        sys.exit(f"{copy} exists")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    package = copy / "Package.swift"
    package.write_text(package.read_text().replace("  .treatAllWarnings(as: .error),\n", ""))
    # The tests give their programs few variables.
    inherited = copy / "Tests/TestSupport/RunProcess.swift"
    inherited.write_text(inherited.read_text().replace('["PATH", ', '["PATH", "SEEDED_FAULT", "SEEDED_FAULTS_PASSED", '))
    for module in MODULES:
        (copy / "Sources" / module / "SeededFault.swift").write_text(HOOK)
    chosen = {i + 1: c for i, c in enumerate(choose(count, seed))}
    paths = {c[0] for c in chosen.values()}
    while True:
        by_file = {}
        for number, (path, line, _, new) in chosen.items():
            by_file.setdefault(path, {})[line] = new.replace("FAULT", f"seededFault({number})")
        for path in paths:
            lines = (ROOT / path).read_text().split("\n")
            for line, new in by_file.get(path, {}).items():
                lines[line] = new
            text = "\n".join(lines)
            if (copy / path).read_text() != text:
                (copy / path).write_text(text)
        built = subprocess.run(BUILD, cwd=copy, capture_output=True, text=True)
        said = built.stdout + built.stderr
        wrong = set(re.findall(r"/(Sources/[^:\s]+\.swift):(\d+):\d+: error", said))
        bad = {n for n, (p, l, _, _) in chosen.items() if (str(p), str(l + 1)) in wrong}
        # What lacks a value or an initialization is said at the end of the function, which may be far below.
        bad = bad or {n for n, (p, l, _, _) in chosen.items() if any(p_ == str(p) and 0 <= int(l_) - l - 1 < 80 for p_, l_ in wrong)}
        print(f"{len(chosen)} faults, {len(bad)} of them do not compile", flush=True)
        if built.returncode == 0:
            break
        if not bad:
            sys.exit(said[-6000:])
        for n in bad:
            del chosen[n]
    table = Table(copy)
    table.rows = [[str(n), "?", f"{p}:{l + 1}", k, ""] for n, (p, l, k, _) in sorted(chosen.items())]
    table.save()


def suite_command(copy, suite):
    """Runs one suite without asking the package manager."""
    bundle = next((copy / ".build/debug").glob("*.xctest"))
    return [str(bundle), "--testing-library", "swift-testing", "--filter", f"^{re.escape(suite)}[./]"]


def run_suite(copy, suite, variables, limit):
    """('passed' | 'failed' | 'hung', seconds). Stops at the first failure."""
    scratch = pathlib.Path(f"/dev/shm/seeded-{os.getpid()}-{threading.get_ident()}")
    scratch.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    environment = dict(os.environ, TMPDIR=str(scratch), SWIFT_BACKTRACE="enable=no", **variables)
    process = subprocess.Popen(suite_command(copy, suite), cwd=copy, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    state = []

    def stop(word):
        state.append(word)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    clock = threading.Timer(limit, stop, ["hung"])
    clock.start()
    passed = False
    for line in process.stdout:
        if re.match(r"\S+ (Test|Suite) .* (recorded an issue|failed after)", line):
            stop("failed")
            break
        passed = passed or bool(re.search(r"Test run with \d+ test.* passed", line))
    process.wait()
    clock.cancel()
    # A suite that is stopped may leave a folder deeper than Python can remove.
    subprocess.run(["rm", "-rf", scratch])
    return (state[0] if state else "passed" if passed and process.returncode == 0 else "failed"), time.monotonic() - began


def suites(copy):
    listed = subprocess.run(["swift", "test", "list", "--skip-build", "--disable-xctest", "-Xswiftc", "-gnone"], cwd=copy,
                            capture_output=True, text=True, check=True).stdout
    return sorted({re.split(r"[/(]", l)[0] for l in listed.splitlines() if re.match(r"\w+Tests\.\w", l)})


def run(directory, jobs, only):
    copy = pathlib.Path(directory).resolve()
    passed = copy / "passed"
    passed.mkdir(exist_ok=True)
    times = {}
    for suite in suites(copy):
        note = passed / suite
        if not note.exists():
            part = passed / (suite + ".part")
            part.unlink(missing_ok=True)
            state, seconds = run_suite(copy, suite, {"SEEDED_FAULTS_PASSED": str(part)}, 900)
            numbers = sorted(set(part.read_text().split())) if part.exists() else []
            if state != "passed":
                print(f"{suite} {state} without a fault: it is left out", flush=True)
                numbers = []
            note.write_text(f"{seconds:.1f} " + " ".join(numbers))
            part.unlink(missing_ok=True)
        seconds, *numbers = note.read_text().split()
        for n in numbers:
            times.setdefault(n, []).append((float(seconds), suite))
    table = Table(copy)
    lock = threading.Lock()
    waiting = [r for r in table.rows if r[1] in ("?", *only)]

    def worker():
        while True:
            with lock:
                if not waiting:
                    return
                row = waiting.pop(0)
            state, by = "unreached", ""
            # The suite that saw it before comes first.
            for seconds, suite in sorted(times.get(row[0], []), key=lambda t: (t[1] != row[4], t)):
                state = "unseen"
                result, _ = run_suite(copy, suite, {"SEEDED_FAULT": row[0]}, 60 + 6 * seconds)
                if result != "passed":
                    state, by = "seen", suite + (" (hung)" if result == "hung" else "")
                    break
            with lock:
                row[1], row[4] = state, by
                table.save()
                print("\t".join(row), flush=True)

    threads = [threading.Thread(target=worker) for _ in range(jobs)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    print({s: sum(r[1] == s for r in table.rows) for s in ("seen", "unseen", "unreached", "?")})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["make", "run", "unseen"])
    parser.add_argument("directory")
    parser.add_argument("--count", type=int, default=220)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="append", default=[], help="try faults of this state again: unseen, seen")
    options = parser.parse_args()
    if options.verb == "make":
        make(options.directory, options.count, options.seed)
    elif options.verb == "run":
        run(options.directory, options.jobs, options.again)
    else:
        for row in Table(options.directory).rows:
            if row[1] in ("unseen", "unreached"):
                print("\t".join(row))


main()
