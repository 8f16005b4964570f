"""Gives a process the variables of the editor's folder that it is started in; see javascript/folders.cjs.

PYTEST_DONT_REWRITE
"""

import json
import os


def move_to_folder(env, cwd, table):
    """`table` is as src/hooks/environment.ts writes it."""
    table = json.loads(table)
    before, folders = table["before"], table["folders"]
    standing, own = folders[0]["set"], _folder_of(cwd, folders)
    if own is None or own is folders[0] or env.get("TAPEDECK_URL") != standing.get("TAPEDECK_URL"):
        return
    for name in {*standing, *own["set"]}:
        if env.get(name) not in (standing.get(name), before.get(name)):
            continue  # it was changed since
        value = own["set"].get(name, before.get(name))
        if value is None:
            env.pop(name, None)
        else:
            env[name] = value


def _folder_of(cwd, folders):
    """The deepest one."""
    here = os.path.join(os.path.normcase(os.path.realpath(cwd)), "")
    around = [one for one in folders if here.startswith(_spelled(one["root"]))]
    return max(around, key=lambda one: len(one["root"]), default=None)


def _spelled(root):
    return os.path.join(os.path.normcase(os.path.realpath(root)), "")
