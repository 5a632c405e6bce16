# Does what a page of the manual tells: writes its listing of CUDA to the file
# that the text before it names, and runs its commands in order. A command that
# fails ends it.
#
#   tutorial.py PAGE FOLDER

import re
import subprocess
import sys
from pathlib import Path

page, folder = Path(sys.argv[1]).read_text(), sys.argv[2]
blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.M | re.S)
name = re.search(r"Save it as `(.*?)`", page).group(1)
(listing,) = [text for kind, text in blocks if kind == "cuda"]
Path(folder, name).write_text(listing)
commands = [line[2:] for kind, text in blocks if kind == "console" for line in text.splitlines() if line.startswith("$ ")]
assert commands, "a page without commands"
for command in commands:
    print("$", command, flush=True)
    subprocess.run(["bash", "-c", command], cwd=folder, stderr=subprocess.STDOUT, check=True)
print("commands run:", len(commands))
