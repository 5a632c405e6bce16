# Runs a command and checks how it ended: an exit status, or the negative number
# of a signal. With --signal=NAME, sends it that signal once the command has
# printed a line.
import signal
import subprocess
import sys

want, command = int(sys.argv[1]), sys.argv[2:]
if command[0].startswith("--signal="):
    number = signal.Signals[command[0].split("=")[1]]
    # Whoever runs this may have left signals ignored.
    signal.signal(number, signal.SIG_DFL)
    process = subprocess.Popen(command[1:], stdout=subprocess.PIPE)
    process.stdout.readline()
    process.send_signal(number)
    got = process.wait()
else:
    got = subprocess.run(command).returncode
if got != want:
    sys.exit(f"ended with {got}, not {want}")
