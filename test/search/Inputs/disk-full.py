# Runs gevo-search and, when its store is there, lets no file grow beyond a
# little more than that: the disk is full.
import os, resource, subprocess, sys, time
store, command = sys.argv[1], sys.argv[2:]
search = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
log = os.path.join(store, "evaluations.jsonl")
while search.poll() is None and not (os.path.exists(log) and os.path.getsize(log) > 2000):
    time.sleep(0.01)
resource.prlimit(search.pid, resource.RLIMIT_FSIZE, (os.path.getsize(log) + 1000, resource.RLIM_INFINITY))
print(search.communicate()[1].splitlines()[-1])
sys.exit(search.returncode)
