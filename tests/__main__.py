"""The one gate, the same everywhere: style, layers, types, tests. Run `python -m tests`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("lint-imports",),
    ("mypy",),
    ("pytest", *sys.argv[1:]),
)


def main() -> int:
    """Run every check, also after one has failed; give 1 if any did."""
    scripts = Path(sys.executable).parent
    failed = []
    for check in CHECKS:
        print(f"== {' '.join(check)}", flush=True)
        if subprocess.run([scripts / check[0], *check[1:]], cwd=ROOT, check=False).returncode:
            failed.append(check[0])
    print(f"== failed: {', '.join(failed)}" if failed else "== all checks passed", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
