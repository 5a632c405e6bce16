# ===- examples.py - the examples as the search's benchmarks see them ------===#
#
# Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Built once in a folder of the benchmark's, searched as often as it likes.
#
# ===-----------------------------------------------------------------------===#

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def names():
    return sorted(p.parent.name for p in ROOT.glob("examples/*/scenario.yaml"))


def processor_time():
    """Of all children so far: what counts where others use the machine, too."""
    times = os.times()
    return times.children_user + times.children_system


class Program:
    """A program with its device code kept, and how a search judges it."""

    def __init__(self, build, source, folder, run, held_out=(), options=()):
        self.build, self.run, self.held_out, self.options = build, run, held_out, list(options)
        self.folder = Path(folder) / source.stem
        self.folder.mkdir(parents=True)
        self.path = self.folder / source.stem
        compiler = build / "bin" / "gevo-clang++"
        subprocess.run([compiler, "-O3", "--gevo-record", source, "-o", self.path], check=True)

    @classmethod
    def example(cls, build, name, folder):
        folder_of = ROOT / "examples" / name
        keys, held_out = {}, []
        for line in (folder_of / "scenario.yaml").read_text().splitlines():
            if line.startswith("  - "):
                held_out.append(line[4:])
            elif ": " in line and not line.startswith("#"):
                key, value = line.split(": ", 1)
                keys[key] = value
        options = [f"--tolerance={keys['tolerance']}"] if "tolerance" in keys else []
        options += ["--whole-runs"] if keys.get("whole-runs") == "true" else []
        return cls(build, folder_of / f"{name}.cu", folder, keys["run"], held_out, options)

    def command(self, store, *options):
        held_out = [f"--held-out={run}" for run in self.held_out]
        return [
            self.build / "bin" / "gevo-search", "--quiet", "--json", f"--store={store}", "-o", f"{store}.json",
            *self.options, *held_out, *options, "--", *shlex.split(self.run)
        ]

    def search(self, *options, launcher=(), keep=None):
        """The result as gevo-search tells it, from an empty store, which is gone afterwards unless it is kept."""
        store = keep or self.folder / "store"
        shutil.rmtree(store, ignore_errors=True)
        result = subprocess.run([*launcher, *self.command(store, *options)], cwd=self.folder, stdout=subprocess.PIPE,
                                text=True, check=True)
        if not keep:
            shutil.rmtree(store, ignore_errors=True)
        return json.loads(result.stdout)

    def cost(self, evaluations, algorithm="random", **options):
        """Processor time of an evaluation by one worker, without what a search does before and after."""
        result = self.search(f"--evals={evaluations}", "--jobs=1", f"--algorithm={algorithm}", **options)
        return result["processor_seconds"] / result["evaluations"]


def speedup(result):
    """Of the edit set that was validated and written; 1 if there is none."""
    passed = [f["speedup"] for f in result["finalists"] if f["passed"]]
    return max(passed, default=1.0)


def row(name, seconds, **counters):
    """A result as Google Benchmark would tell it."""
    return {"name": name, "real_time": seconds, "cpu_time": seconds, "time_unit": "s", **counters}
