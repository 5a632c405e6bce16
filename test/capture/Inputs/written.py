# Says of the buffers of a captured kernel whether it wrote to them.
import json
import sys

with open(f"{sys.argv[1]}/process-0.json") as file:
    cases = json.load(file)["capture"]["cases"]
for case in cases:
    if sys.argv[2] in case["launches"][0]["kernel"]:
        for buffer in case["buffers"]:
            written = any(piece[2] for piece in buffer["pieces"])
            print(f'{buffer["bytes"]} bytes, {"written" if written else "only read"}')
