# Runs gevo-search and removes a folder as soon as it polishes what it found.
import os, subprocess, sys
folder, command = sys.argv[1], sys.argv[2:]
os.mkdir(folder)
search = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
line = ""
for line in search.stderr:
    if "polishing" in line and os.path.exists(folder):
        os.rmdir(folder)
print(line)
sys.exit(search.wait())
