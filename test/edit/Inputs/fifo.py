# ===- fifo.py - what a program writes into a named pipe --------------------===#
#
# Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
#   fifo.py COMMAND... runs COMMAND... PIPE and prints what came through; fails
#   if the pipe is no pipe any more.
#
# ===-----------------------------------------------------------------------===#

import os
import stat
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    writer = subprocess.Popen([*sys.argv[1:], pipe])
    with open(pipe) as reader:
        sys.stdout.write(reader.read())
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    sys.exit(writer.wait())
