"""The node agent of her: supervises one attempt of a job on this machine. Python >= 3.9, standard library
only.

An attempt is a folder (see `layout`). `start` makes the folder and leaves a daemon behind; every other
verb reads the folder. Choices where the protocol leaves room are written in the module they concern.
"""

PROTOCOL = 1
