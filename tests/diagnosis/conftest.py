"""Makes the small benchmarks of the evaluation tests importable."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "evaluation"))
