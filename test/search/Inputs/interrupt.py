# Runs gevo-search and presses Ctrl-C, which reaches all of its processes, when
# its store has some evaluations; instead of a store with "validating" or "left" when
# it says so, or with a file when that has a line. mpirun kills its ranks then, so it gets
# the signal that it hands on to them.
import os, signal, subprocess, sys, time

when, command = sys.argv[1], sys.argv[2:]
search = subprocess.Popen(
    command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
)


def press():
    if command[0] == "mpirun":
        search.send_signal(signal.SIGUSR1)
    else:
        os.killpg(search.pid, signal.SIGINT)


if when in ("validating", "left"):
    for line in search.stdout:
        print(line, end="")
        if when in line:
            time.sleep(0.1)
            press()
            break
elif os.path.isfile(when):
    while search.poll() is None and not open(when).read().endswith("\n"):
        time.sleep(0.01)
    press()
else:
    log = os.path.join(when, "evaluations.jsonl")
    while search.poll() is None and not (os.path.exists(log) and sum(1 for _ in open(log)) > 60):
        time.sleep(0.01)
    press()
print(search.stdout.read(), end="")
sys.exit(search.wait())
