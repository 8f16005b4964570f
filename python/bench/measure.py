"""Runs a generated project with vcrpy and with Tapedeck by turns, and compares passed tests and CPU time.

    python measure.py FOLDER PYTHON_WITH_VCRPY PYTHON_WITH_TAPEDECK [ROUNDS]

The first interpreter has pytest-recording, the second the wheel in its place; both have the SDKs of requirements.txt.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys


def run(python: str, folder: str) -> tuple[int, float]:
    """Returns how many tests passed, and the CPU seconds of the session and all that it started."""
    before = os.times()
    done = subprocess.run([python, "-m", "pytest", "-q", "tests"], cwd=folder, capture_output=True, text=True)
    after = os.times()
    passed = re.search(r"(\d+) passed", done.stdout)
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    return int(passed.group(1)) if passed else 0, seconds


def main(folder: str, vcrpy: str, tapedeck: str, rounds: str = "3") -> None:
    measured: dict[str, list[tuple[int, float]]] = {"vcrpy": [], "tapedeck": []}
    for _ in range(int(rounds)):
        for name, python in (("vcrpy", os.path.abspath(vcrpy)), ("tapedeck", os.path.abspath(tapedeck))):
            measured[name].append(run(python, folder))
    for name, runs in measured.items():
        seconds = statistics.median(second for _, second in runs)
        print(f"{name:10} {min(passed for passed, _ in runs)} passed, {seconds:.1f} s of CPU")


if __name__ == "__main__":
    main(*sys.argv[1:])
