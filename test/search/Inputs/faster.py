# The rebuilt program is faster on the embedded GPU, by what the edit set says
# for this input.
import json
import sys

before, after, result, edits = (json.load(open(name)) for name in sys.argv[1:])
(measured,) = (a["measured"] for a in edits["architectures"])
held_out = [c for c in measured["validation"] if c["held_out"]]
assert all(c["result"]["stage"] == "done" and not c["steered"] for c in held_out)
run, made = held_out
assert made["inputs"] and measured["guards"]
assert abs(before["time_us"] - run["original_us"]) < 1e-6
assert abs(after["time_us"] * 1000 - run["result"]["time"]) < 1e-6
assert after["time_us"] < before["time_us"]
# Captured launches and whole runs are timed as the same machine code.
(whole,) = (c for c in measured["validation"] if c["run"].endswith("clears 128"))
assert abs(measured["speedup"] - whole["original_us"] * 1000 / whole["result"]["time"]) < 0.02
assert result["finalists"][0]["passed"] is True
assert result["stages"]["guard"] > 0
assert result["evaluations"] == 80
