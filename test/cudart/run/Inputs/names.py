# Compares the names in two listings of nm, versions included.
import sys


def names(file):
    rows = (line.split() for line in open(file))
    return {row[-1] for row in rows if len(row) == 3 and row[1] in "TW"}


theirs, ours = names(sys.argv[1]), names(sys.argv[2])
for name in sorted(theirs - ours):
    print(name)
print(f"{len(theirs)} names, {len(theirs - ours)} missing")
