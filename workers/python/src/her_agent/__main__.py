"""Entry of the zipapp and of `python -m her_agent`."""

import sys

from her_agent.cli import main

sys.exit(main(sys.argv[1:]))
