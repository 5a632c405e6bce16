# Runs gevo-search and presses Ctrl-C, which reaches all of its processes, when
# its store has some evaluations or, with "validating" or "captured" instead of a
# store, when it says so.
import os, signal, subprocess, sys, time

when, command = sys.argv[1], sys.argv[2:]
search = subprocess.Popen(
    command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
)


def press():
    os.killpg(search.pid, signal.SIGINT)


if when in ("validating", "captured"):
    for line in search.stdout:
        print(line, end="")
        if when in line:
            time.sleep(0.1)
            press()
            break
else:
    log = os.path.join(when, "evaluations.jsonl")
    while search.poll() is None and not (os.path.exists(log) and sum(1 for _ in open(log)) > 60):
        time.sleep(0.01)
    press()
print(search.stdout.read(), end="")
sys.exit(search.wait())
