# Runs a command and checks how it ended: an exit status, or the negative number
# of a signal. With --signal, sends SIGTERM once the command has printed a line.
import signal
import subprocess
import sys

want, command = int(sys.argv[1]), sys.argv[2:]
if command[0] == "--signal":
    process = subprocess.Popen(command[1:], stdout=subprocess.PIPE)
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    got = process.wait()
else:
    got = subprocess.run(command).returncode
if got != want:
    sys.exit(f"ended with {got}, not {want}")
