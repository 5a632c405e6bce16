# Runs a command on a terminal of some width and kind, and prints every line that
# was shown there; those that the next one erased as "erased: ...".
# usage: terminal.py COLUMNS TERM COMMAND...
import fcntl
import os
import pty
import struct
import sys
import termios

columns, kind, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
    os.environ["TERM"] = kind
    os.execvp(command[0], command)
text = b""
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:  # the other side was closed
        break
    if not piece:
        break
    text += piece
for line in text.decode().split("\r\n"):
    *erased, last = line.split("\r\x1b[K")
    for state in erased:
        if state:
            print("erased:", state)
    print(last)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
