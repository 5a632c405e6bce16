# ===- edit-set.py - an edit set out of one line per edit -------------------===#
#
# Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
#   edit-set.py PLUGIN LIST MODULE... > SET
#
# Reads lines such as
#   @kernel {"kind": "delete", "at": "i3"}
# and writes the edit set that has them, with the fingerprint that each function
# has in MODULE and a section for each module's architecture. Edit N of the whole
# list stands on line N + 1, so that a test can name the line of a message.
#
# ===-----------------------------------------------------------------------===#

import json
import re
import subprocess
import sys

FUNCTION = re.compile(r"^; fingerprint (\w+)$.*?^define [^@]*@([\w.$]+)\(", re.M | re.S)


def fingerprints(module):
    command = ["opt", f"-load-pass-plugin={sys.argv[1]}", "-passes=gevo-annotate",
               "-disable-output", module]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {name: fingerprint for fingerprint, name in FUNCTION.findall(out)}


def describe(module):
    """The architecture and the source's name, as the module has them."""
    text = subprocess.run(["opt", "-S", module], check=True, capture_output=True, text=True).stdout
    return (re.search(r'"target-cpu"="(\w+)"', text)[1],
            re.search(r'^source_filename = "(.*)"', text, re.M)[1])


def main():
    edits = {}
    for line in open(sys.argv[2]):
        name, edit = line.strip().lstrip("@").split(" ", 1)
        edits.setdefault(name, []).append(edit)
    sections = []
    for module in sys.argv[3:]:
        known = fingerprints(module)
        arch, source = describe(module)
        functions = []
        for name, lines in edits.items():
            head = json.dumps({"name": name, "source": source, "instructions": 0,
                               "fingerprint": known.get(name, "0" * 32), "anchors": []})
            functions.append(head[:-1] + ', "edits": [\n' + ",\n".join(lines) + "]}")
        sections.append(f'{{"arch": "{arch}", "functions": [' + ", ".join(functions) + "]}")
    print('{"gevo": 1, "producer": "test", "architectures": [' + ", ".join(sections) + "]}")


main()
