/** `check-input.py`: whether a file or folder has the hash that the study pins, by the rule of a plan. */
export const checkInput = `#!/usr/bin/env python3
"""check-input.py PATH HASH: SHA-256 over lines "<sha256>  <path>", sorted; of one file its own SHA-256 will do."""
import hashlib
import os
import sys


def hash_file(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def lines(path, name):
    if not os.path.isdir(path):
        return [hash_file(path) + "  " + name + "\\n"]
    found = []
    # As JavaScript sorts: by UTF-16.
    for child in sorted(os.listdir(path), key=lambda text: text.encode("utf-16-be", "surrogatepass")):
        found += lines(os.path.join(path, child), child if name == "" else name + "/" + child)
    return found


path, wanted = sys.argv[1:]
found = lines(path, "")
tree = hashlib.sha256("".join(found).encode("utf-8", "surrogateescape")).hexdigest()
if wanted != tree and not (os.path.isfile(path) and wanted == hash_file(path)):
    sys.exit("check-input.py: %s has the hash %s, not %s" % (path, tree, wanted))
`;
