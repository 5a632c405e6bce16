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
#   @kernel {"kind": "math", "at": "i(fdiv)", "relax": "div"}
# and writes the edit set that has them, with the fingerprint that each function
# has in MODULE and a section for each module's architecture. i(text) is the
# anchor of the first instruction that contains the text, for code that a
# compiler made. Edit N of the whole list stands on line N + 1, so that a test
# can name the line of a message.
#
# ===-----------------------------------------------------------------------===#

import json
import re
import subprocess
import sys

FUNCTION = re.compile(r"^; fingerprint (\w+)$.*?^define [^@]*@([\w.$]+)(\(.*?^})$", re.M | re.S)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def functions_of(module):
    """Name to fingerprint and annotated body."""
    out = run("opt", f"-load-pass-plugin={sys.argv[1]}", "-passes=gevo-annotate", "-disable-output", module)
    return {name: (fingerprint, body) for fingerprint, name, body in FUNCTION.findall(out)}


def describe(module):
    """The architecture and the source's name, as the module has them."""
    text = run("opt", "-S", module)
    return (re.search(r'"target-cpu"="(\w+)"', text)[1],
            re.search(r'^source_filename = "(.*)"', text, re.M)[1])


def resolve(edit, body):
    def anchor(match):
        found = re.search(r"^.*" + re.escape(match[1]) + r".*; (i\d+)$", body, re.M)
        if not found:
            sys.exit(f"edit-set.py: no instruction contains '{match[1]}'")
        return found[1]

    return re.sub(r"\bi\(([^)]*)\)", anchor, edit)


def main():
    edits = {}
    for line in open(sys.argv[2]):
        name, edit = line.strip().lstrip("@").split(" ", 1)
        edits.setdefault(name, []).append(edit)
    sections = []
    for module in sys.argv[3:]:
        known = functions_of(module)
        arch, source = describe(module)
        functions = []
        for name, lines in edits.items():
            fingerprint, body = known.get(name, ("0" * 32, ""))
            head = json.dumps({"name": name, "source": source, "instructions": 0,
                               "fingerprint": fingerprint, "anchors": []})
            body = ",\n".join(resolve(line, body) for line in lines)
            functions.append(f'{head[:-1]}, "edits": [\n{body}]}}')
        sections.append(f'{{"arch": "{arch}", "functions": [' + ", ".join(functions) + "]}")
    print('{"gevo": 1, "producer": "test", "architectures": [' + ", ".join(sections) + "]}")


main()
