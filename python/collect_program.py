"""Puts the built JavaScript program, its hooks, and its translations into the wheel as tapedeck/program.

TAPEDECK_DIST names another folder in the place of ../dist: tests build one of their own.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
# Folders and files of ../dist that the command line needs. The rest is the VS Code extension and the library for Node.
PARTS = ("cli.js", "package.json", "cli", "hooks", "pages", "THIRD-PARTY-NOTICES.txt")


class CollectProgram(BuildHookInterface):
    """Adds the files to the wheel where they are; nothing is copied into the source tree."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        dist = Path(os.environ.get("TAPEDECK_DIST") or ROOT / "dist")
        if not (dist / "cli.js").is_file():
            raise FileNotFoundError(f"{dist / 'cli.js'} does not exist. Run `npm run build` first.")
        included = {str(ROOT / name): f"tapedeck/program/{name}" for name in ("package.json", "LICENSE", "l10n", "skills")}
        included[str(ROOT / "python/src/tapedeck.pth")] = "tapedeck.pth"
        for part in PARTS:
            path = dist / part
            for file in [path] if path.is_file() else sorted(path.rglob("*")):
                if file.is_file() and file.suffix != ".map" and "__pycache__" not in file.parts:
                    included[str(file)] = f"tapedeck/program/dist/{file.relative_to(dist).as_posix()}"
        build_data["force_include"].update(included)
