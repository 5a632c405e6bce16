# Ends a command by signals, each at another time within its first 30 ms, and
# looks for what is left: anything in the folder of temporary files, or a process
# of the program.
import os
import random
import signal
import subprocess
import sys
import time

runs, folder, program, command = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
dice = random.Random(1)
signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
# Whoever runs this may have left signals ignored.
for number in signals:
    signal.signal(number, signal.SIG_DFL)


def is_running():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(program):
                return True
        except OSError:
            pass  # It has ended meanwhile, or is none of ours.
    return False


for run in range(runs):
    number = dice.choice(signals)
    process = subprocess.Popen(
        command, env=dict(os.environ, TMPDIR=folder),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(dice.uniform(0, 0.03))
    process.send_signal(number)
    end = process.wait()
    if end != -number:
        sys.exit(f"run {run} ended with {end}, not by {number.name}")
    if os.listdir(folder):
        sys.exit(f"run {run} left {os.listdir(folder)} after {number.name}")
    if is_running():
        sys.exit(f"run {run} left its program running after {number.name}")
