"""``python tests/fuzzing``: fuzz for a while, print how many answers were compared, save what fails."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from fuzzing.running import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
