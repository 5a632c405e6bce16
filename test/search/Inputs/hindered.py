# Runs gevo-search and, in the middle of it, takes from it what HOW says:
#   output:     no file of its workers grows beyond 12 KB: the disk is full for
#               what the program prints, and only for that;
#   temporary:  the folder of temporary files;
#   validation: the disk is full for all when validation begins;
#   capture:    the same when launches are going to be captured.
# Prints the last line that the search says, and ends as it does.
import os, resource, subprocess, sys, time

store, how, command = sys.argv[1], sys.argv[2], sys.argv[3:]
search = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
log = os.path.join(store, "evaluations.jsonl")
last = ""


def limit(pid, size):
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def children(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        for child in open(f"/proc/{pid}/task/{task}/children").read().split():
            yield int(child)


def begun():
    return os.path.exists(log) and os.path.getsize(log) > 2000


sign = {"validation": ": validating", "capture": "compared after whole runs"}.get(how)
while not sign and search.poll() is None and not begun():
    time.sleep(0.01)
if how == "output":
    for worker in children(search.pid):
        limit(worker, 12000)
elif how == "temporary":
    os.rename(os.environ["TMPDIR"], os.environ["TMPDIR"] + ".gone")
for line in search.stderr:
    last = line.rstrip()
    if sign and sign in line:
        limit(search.pid, 12000)
print(last)
sys.exit(search.wait())
