# Fails unless each edit set of the command line is at least as fast as the one before.
import json
import sys

gains = []
for name in sys.argv[1:]:
    (measured,) = (a["measured"] for a in json.load(open(name))["architectures"])
    gains.append(measured["speedup"])
assert gains == sorted(gains), gains
