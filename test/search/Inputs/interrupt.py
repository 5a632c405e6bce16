# Runs gevo-search and presses Ctrl-C when its store has some evaluations.
import os, signal, subprocess, sys, time

store, command = sys.argv[1], sys.argv[2:]
search = subprocess.Popen(command)
log = os.path.join(store, "evaluations.jsonl")
while search.poll() is None and not (os.path.exists(log) and sum(1 for _ in open(log)) > 60):
    time.sleep(0.01)
search.send_signal(signal.SIGINT)
sys.exit(search.wait())
