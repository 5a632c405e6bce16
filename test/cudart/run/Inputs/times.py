"""Tells, for each kernel of two reports of gevo-run, where its costs come from
and whether it takes the same time. Usage: times.py REPORT REPORT"""

import json
import sys

one, two = (json.load(open(path))["kernels"] for path in sys.argv[1:])
for a, b in zip(one, two):
    assert a["name"] == b["name"] and a["time_us"] > 0
    same = "the same" if a["time_us"] == b["time_us"] else "another"
    print(a["name"], a["costs"], b["costs"], same)
