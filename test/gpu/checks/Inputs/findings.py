#!/usr/bin/env python3
# Prints of a report of gevo-run one line for each finding: the kernel, the kind,
# the source line, and that of the other party; then the dumps.
import json
import sys

report = json.load(open(sys.argv[1]))
print("status", report["status"])
for finding in report["findings"]:
    lines = [str(finding[who]["line"]) for who in ("where", "other") if who in finding]
    print(finding["kernel"], finding["kind"], *lines)
for name, values in report.get("dump", {}).items():
    print(name, *values)
