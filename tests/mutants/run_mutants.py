# SPDX-License-Identifier: Apache-2.0
"""Breaks the library in one place at a time and sees whether the tests notice; see scripts/mutants.sh.

No file of the tree is changed: the broken file lies in a shadow folder, the objects that depend on it are compiled again
with the build's own commands, and linked with all the others into a copy of the library and of the tests' executable.
"""
import argparse
import concurrent.futures
import contextlib
import dataclasses
import glob
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

from mutant_list import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A test that does not end has noticed something too. It is time of the CPU that counts: machines are shared.
TEST_CPU_SECONDS = 600
TEST_SECONDS = 3600  # for one that waits again and again
IDLE_SECONDS = 60  # without any CPU time: it waits for ever, as Catch2's signal handler does for the lock of a broken heap
LAYERS = ("runtime/", "jit/", "src/")


def has_cpu_flag(flag):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        return any(line.startswith("flags") and flag in line.split() for line in file)


def loosely(text):
    """A pattern for `text` with any white space where it has some."""
    return r"\s*".join(re.escape(word) for word in text.split())


@dataclasses.dataclass
class Outcome:
    mutant: object
    verdict: str  # killed, SURVIVED, ERROR, skipped
    detail: str
    seconds: float = 0.0


class Build:
    """What the build directory knows about commands and dependencies."""

    def __init__(self, directory):
        self.directory = directory
        self.commands = {edge["output"]: edge["command"] for edge in json.loads(self.ninja("-t", "compdb"))}
        self.dependents = {}  # header or source, absolute -> objects of the library
        target = None
        for line in self.ninja("-t", "deps").splitlines():
            if line and not line[0].isspace():
                target = line.split(":", 1)[0]
            elif line.strip() and target.startswith(LAYERS):
                path = os.path.normpath(os.path.join(directory, line.strip()))
                self.dependents.setdefault(path, []).append(target)

    def ninja(self, *arguments):
        return subprocess.run(["ninja", "-C", str(self.directory), "--quiet", *arguments], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def command(self, output, tool):
        """The part of an edge's command that calls the compiler; what CMake runs before and after is left out."""
        for part in self.commands[output].split(" && "):
            if f" -o {tool}" in part or " -o " in part:
                return shlex.split(part)
        raise RuntimeError(f"no command makes {output}")

    def executable(self, test):
        return f"tests/{test}/garner_test_{test}"

    def links_shared(self, test):
        return "libgarner.so" in self.commands[self.executable(test)]


def run(arguments, **options):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **options)


class Experiment:
    """One broken copy."""

    def __init__(self, build, mutant, scratch):
        self.build, self.mutant, self.shadow = build, mutant, scratch / mutant.name

    def apply(self):
        """Writes the broken file into the shadow folder; its place in the tree, or an error."""
        places = sorted(path for pattern in self.mutant.files for path in ROOT.glob(pattern))
        for path in places:
            text = path.read_text(encoding="ascii")
            start = 0
            if self.mutant.within:
                anchor = re.search(loosely(self.mutant.within), text)
                if not anchor:
                    continue
                start = anchor.end()
            match = re.compile(loosely(self.mutant.find)).search(text, start)
            if not match:
                continue
            if self.mutant.replace == match.group(0):
                return None, "the replacement changes nothing"
            broken = self.shadow / path.relative_to(ROOT)
            broken.parent.mkdir(parents=True, exist_ok=True)
            broken.write_text(text[:match.start()] + self.mutant.replace + text[match.end():], encoding="ascii")
            line = text.count("\n", 0, match.start()) + 1
            return (path, f"{path.relative_to(ROOT)}:{line}"), ""
        return None, "nothing in the sources matches this mutation any more: adapt tests/mutants/mutant_list.py"

    def compile(self, path):
        """Objects made from the broken file: name in the build -> the new file; or the compiler's words."""
        objects = {}
        for number, output in enumerate(sorted(set(self.build.dependents.get(str(path), [])))):
            made = self.shadow / f"{number}-{os.path.basename(output)}"
            command = self.build.command(output, output)
            command[command.index("-o") + 1] = str(made)
            broken = self.shadow / path.relative_to(ROOT)
            command = [str(broken) if word == str(path) else word for word in command]
            if "-MF" in command:
                command[command.index("-MF") + 1] = str(made) + ".d"
            command[command.index("-o"):command.index("-o")] = ["-iquote", str(self.shadow)]
            result = run(command, cwd=self.build.directory)
            if result.returncode != 0:
                return None, result.stdout
            objects[output] = made
        return objects, "" if objects else "no object of the library depends on this file"

    def link(self, command, output, replacements):
        command = self.build.command(output, output) if command is None else command
        command = [str(replacements.get(word, word)) for word in command]
        made = self.shadow / os.path.basename(output)
        command[command.index("-o") + 1] = str(made)
        result = run(command, cwd=self.build.directory)
        if result.returncode != 0:
            raise RuntimeError(result.stdout[-2000:])
        return made

    def prepare_test(self, test, objects):
        """(executable, environment) of a test that runs the broken library."""
        executable = self.build.executable(test)
        if self.build.links_shared(test):
            library = next(name for name in self.build.commands if re.fullmatch(r"src/libgarner\.so\.[0-9.]+", name))
            made = self.shadow / os.path.basename(library)
            if not made.exists():
                made = self.link(None, library, objects)
            return self.build.directory / executable, {"LD_PRELOAD": str(made)}
        archive = self.shadow / "libgarner.a"
        if not archive.exists():
            shutil.copy(self.build.directory / "src/libgarner.a", archive)
            for output, made in objects.items():
                member = self.shadow / "member" / os.path.basename(output)
                member.parent.mkdir(exist_ok=True)
                shutil.copy(made, member)
                subprocess.run(["ar", "r", str(archive), str(member)], check=True, stderr=subprocess.DEVNULL)
            subprocess.run(["ranlib", str(archive)], check=True)
        return self.link(None, executable, {"src/libgarner.a": archive}), {}

    def run(self):
        started = time.monotonic()

        def outcome(verdict, detail):
            return Outcome(self.mutant, verdict, detail, time.monotonic() - started)

        if self.mutant.needs and not has_cpu_flag(self.mutant.needs):
            return outcome("skipped", f"this CPU has no {self.mutant.needs}")
        place, problem = self.apply()
        if place is None:
            return outcome("ERROR", problem)
        objects, problem = self.compile(place[0])
        if not objects:
            return outcome("ERROR", f"{place[1]}: does not compile: {problem[-1500:]}")
        for test, selection in self.mutant.tests:
            executable, environment = self.prepare_test(test, objects)
            noticed = run_test(executable, selection, environment)
            if noticed:
                shutil.rmtree(self.shadow, ignore_errors=True)
                return outcome("killed", f"{place[1]} by {test}: {noticed}")
        return outcome("SURVIVED", f"{place[1]}: no test noticed: {self.mutant.find} -> {self.mutant.replace or '(nothing)'}")


def limit_cpu_time():
    resource.setrlimit(resource.RLIMIT_CPU, (TEST_CPU_SECONDS, TEST_CPU_SECONDS + 10))


def cpu_ticks(group):
    """Of all processes of a group, with those of their children that have ended."""
    ticks = 0
    for stat in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = pathlib.Path(stat).read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[2]) == group:
                ticks += sum(map(int, fields[11:15]))
    return ticks


def output_of(process):
    """None when the process had to be ended."""
    start = busy = time.monotonic()
    ticks = -1
    while True:
        try:
            return process.communicate(timeout=5)[0]
        except subprocess.TimeoutExpired:
            now, used = time.monotonic(), cpu_ticks(process.pid)
            if used != ticks:
                ticks, busy = used, now
            if now - busy > IDLE_SECONDS or now - start > TEST_SECONDS:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                return None


def run_test(executable, selection, environment):
    """Empty when the test passes, otherwise how it failed."""
    command = [str(executable), "--abort", *([selection] if selection else [])]
    surroundings = {**os.environ, "GARNER_TEST_SEED": "1", **environment}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               env=surroundings, start_new_session=True, preexec_fn=limit_cpu_time)
    output = output_of(process)
    if output is None:
        return "does not end"
    if process.returncode == 0:
        if re.search(r"No test cases matched|No tests ran", output):
            raise RuntimeError(f"{executable}: no test case matches '{selection}'")
        return ""
    if process.returncode == -signal.SIGXCPU:
        return "does not end"
    if process.returncode < 0:
        return signal.Signals(-process.returncode).name
    # Catch2 names a test case between two rules, with its sections; one that only warns too, so the last before the failure.
    before, failed, _ = output.partition("FAILED:")
    names = re.findall(r"^-{70,}\n(.+)\n(?:  .+\n)*-{70,}$", before, re.MULTILINE)
    if failed and names:
        return names[-1].strip()[:70]
    return f"exit code {process.returncode}"


def choose(arguments):
    if arguments.what and arguments.what[0].isdigit():
        # Other ones for each commit, and the same ones each time for one.
        commit = run(["git", "-C", str(ROOT), "rev-parse", "HEAD"]).stdout
        usable = [mutant for mutant in MUTANTS if not mutant.needs or has_cpu_flag(mutant.needs)]
        usable.sort(key=lambda mutant: hashlib.sha256((commit + mutant.name).encode()).digest())
        return usable[:int(arguments.what[0])]
    chosen = [mutant for mutant in MUTANTS if not arguments.what or mutant.name in arguments.what]
    unknown = set(arguments.what) - {mutant.name for mutant in chosen}
    if unknown:
        sys.exit(f"no such mutant: {', '.join(sorted(unknown))}")
    return chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("what", nargs="*")
    arguments = parser.parse_args()
    build_directory = arguments.build.resolve()
    chosen = choose(arguments)

    tests = sorted({test for mutant in chosen for test, _ in mutant.tests})
    subprocess.run(["cmake", "--build", str(build_directory), "--target", *(f"garner_test_{test}" for test in tests)],
                   check=True, stdout=subprocess.DEVNULL)
    build = Build(build_directory)
    for selection in sorted({pair for mutant in chosen for pair in mutant.tests}):
        failure = run_test(build_directory / build.executable(selection[0]), selection[1], {})
        if failure:
            sys.exit(f"without any mutation {selection[0]} '{selection[1]}' fails: {failure}")
    print(f"{len(chosen)} mutants; their tests pass without them", flush=True)

    scratch = build_directory / "mutants"
    shutil.rmtree(scratch, ignore_errors=True)
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(lambda mutant: Experiment(build, mutant, scratch).run(), chosen):
            outcomes.append(outcome)
            print(f"{outcome.verdict:9} {outcome.mutant.name:32} {outcome.detail} ({outcome.seconds:.0f} s)", flush=True)
    count = {verdict: sum(outcome.verdict == verdict for outcome in outcomes)
             for verdict in ("killed", "SURVIVED", "ERROR", "skipped")}
    print(f"{count['killed']} killed, {count['SURVIVED']} survived, {count['ERROR']} errors, "
          f"{count['skipped']} skipped")
    if count["killed"] + count["SURVIVED"] + count["ERROR"] == 0:
        sys.exit("no mutant was tried")
    sys.exit(1 if count["SURVIVED"] or count["ERROR"] else 0)


if __name__ == "__main__":
    main()
