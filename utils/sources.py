# ===- sources.py - the files of the repository, for the lints -------------===#
#
# Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Walks the tree instead of asking git, so that the lints say the same in a
# clone, in an unpacked archive and in the made-up trees of their own tests.
#
# ===-----------------------------------------------------------------------===#

import os
from pathlib import Path

CXX = (".c", ".cpp", ".h", ".cu", ".cuh", ".inc", ".def")


def files(root):
    """All files under `root` as relative paths with '/', in sorted order,
    without version control, build folders and caches."""
    found = []
    for folder, folders, names in os.walk(root):
        top = Path(folder) == Path(root)
        folders[:] = [
            name
            for name in folders
            if name not in (".git", "__pycache__", ".cache")
            and not (top and (name == "build" or name.startswith("build-")))
        ]
        found += [Path(folder, name).relative_to(root).as_posix() for name in names]
    return sorted(name for name in found if name != ".git")


def in_folder(name, folder):
    """Whether the file `name` lies in `folder` or below it."""
    return name == folder or name.startswith(folder + "/")
