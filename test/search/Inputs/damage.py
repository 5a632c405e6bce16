# Damages lines of caches: five each can no longer be read.
import sys

for name in sys.argv[1:]:
    with open(name, "rb") as file:
        lines = file.read().split(b"\n")
    assert len(lines) > 8, name
    # A torn line with the next one behind it, bytes of something else, other
    # types, another time, and the header.
    lines[2] = lines[2][:25] + lines[2]
    lines[3] = bytes(range(256)).replace(b"\n", b"")
    lines[4] = b'{"code":7,"result":[]}'
    lines[5] = lines[5].replace(b'"sum":"', b'"sum":"0')
    lines[0] = b"\xff\xfe"
    # The last one was not written whole.
    with open(name, "wb") as file:
        file.write(b"\n".join(lines)[:-9])
