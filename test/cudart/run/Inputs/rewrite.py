"""Rewrites PTX in ways that ptxas undoes: results go through further registers,
constants come from registers, some results are used by nobody, and the blocks
of the kernels that are named stand in another order, with jumps.
Usage: rewrite.py FROM TO [KERNEL...]"""

import re
import sys

RESULT = re.compile(
    r"\t(?:add|sub|mul|mad|fma|and|shl)[\w.]*\.([suf]32|b32) *\t?(%[rf]\d+), (.*);"
)
CONSTANT = re.compile(r"\t((?:add|setp\.\w+)\.[su]32) *\t?(.*), (-?\d+);")


def rewrite_lines(lines):
    """The lines of a block, and how many registers they need."""
    out, count = [], 0
    for line in lines:
        if m := CONSTANT.fullmatch(line):
            out.append(f"\tmov.b32 %new{count}, {m[3]};")
            line = f"\t{m[1]} {m[2]}, %new{count};"
            count += 1
        if m := RESULT.fullmatch(line):
            first, result = line.split(m[2] + ",", 1)
            out.append(f"{first}%new{count},{result}")
            out.append(f"\tmov.b32 {m[2]}, %new{count};")
            out.append(f"\txor.b32 %new{count + 1}, %new{count}, 77;")
            count += 2
        else:
            out.append(line)
    return out, count


def reorder(body):
    blocks = re.split(r"\n(?=\$\w+:)", body)
    for i, block in enumerate(blocks[:-1]):
        if not re.search(r"\n\t(ret|bra)[^\n]*;\s*$", block):
            label = re.match(r"\$\w+", blocks[i + 1])[0]
            blocks[i] = f"{block}\n\tbra.uni {label};"
    return "\n".join(blocks[:1] + blocks[:0:-1])


def rewrite_kernel(match):
    lines, count = rewrite_lines(match[3].split("\n"))
    body = "\n".join(lines)
    if match[2] in sys.argv[3:]:
        body = reorder(body)
    return f"{match[1]}\n\t.reg .b32 %new<{count}>;{body}"


text = open(sys.argv[1]).read()
text = re.sub(r"//[^\n]*", "", text)
KERNEL = re.compile(r"(\.entry (\w+)\(.*?\n\{)(.*?)(?=\n\})", re.S)
open(sys.argv[2], "w").write(KERNEL.sub(rewrite_kernel, text))
