# The rebuilt program is faster on the embedded GPU, by what the edit set says
# for this input.
import json
import sys

before, after, result, edits = (json.load(open(name)) for name in sys.argv[1:])
(measured,) = (a["measured"] for a in edits["architectures"])
held_out = [c for c in measured["validation"] if c["held_out"]]
assert len(held_out) == 1 and held_out[0]["result"]["stage"] == "done"
assert abs(before["time_us"] - held_out[0]["original_us"]) < 1e-6
assert abs(after["time_us"] * 1000 - held_out[0]["result"]["time"]) < 1e-6
assert after["time_us"] < before["time_us"]
# Captured launches and whole runs are timed as the same machine code.
(whole,) = (c for c in measured["validation"] if c["run"].endswith("clears 128"))
assert abs(measured["speedup"] - whole["original_us"] * 1000 / whole["result"]["time"]) < 0.02
assert result["finalists"][0]["passed"] is False
assert result["finalists"][1]["passed"] is True
assert result["evaluations"] == 80
