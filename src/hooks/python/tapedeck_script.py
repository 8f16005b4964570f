"""What makes a call that no test makes: the script that this process runs, or the cell of a notebook.

PYTEST_DONT_REWRITE
"""

import json
import os
import sys

from tapedeck_attribution import process_execution, workspace_file
from tapedeck_runners import NOTEBOOK

_LARGEST = 64 * 1024 * 1024  # bytes of a notebook that is looked into
_numbers = {}  # an execution of a cell: its title


def describe(stack):
    """`stack`: the workspace's frames, the call's own first. The file is None where nothing of the workspace takes part."""
    shell = _shell()
    if shell is not None:
        return _in_shell(shell)
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    file = workspace_file(main) if main else None
    if file is None and stack:
        file = stack[-1][0]
    if file is None and main is None:
        file = _no_file("python")
    return {"file": file, "x": process_execution()}


def _no_file(program):
    """Stands for code without a file: a prompt, `python -c`, standard input. No file is called so."""
    return os.path.join(os.path.realpath(os.getcwd()), "<%s>" % program)


def _shell():
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if hasattr(ipython, "get_ipython") else None


def _in_shell(shell):
    if not hasattr(shell, "kernel"):
        return {"file": _no_file("ipython"), "x": process_execution()}
    inputs = shell.history_manager.input_hist_raw
    count = len(inputs) - 1
    notebook = _notebook(shell)
    if count not in _numbers:
        _numbers[count] = _title(notebook, inputs[-1], count)
    who = {"runner": "notebook", "name": [_numbers[count]], "x": "%s.%d" % (process_execution(), count)}
    return dict(who, file=notebook or _no_file("notebook"))


def _notebook(shell):
    """As VS Code, our own hook on nbclient and a Jupyter server tell it."""
    told = shell.user_ns.get("__vsc_ipynb_file__"), os.environ.get(NOTEBOOK), os.environ.get("JPY_SESSION_NAME")
    return next((os.path.realpath(path) for path in told if path and str(path).endswith(".ipynb")), None)


def _title(notebook, source, count):
    """A cell by its place among the notebook's code cells, which running it again does not change; else by its prompt."""
    try:
        if os.path.getsize(notebook) <= _LARGEST:
            with open(notebook, encoding="utf-8") as file:
                cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
            same = [at for at, cell in enumerate(cells, 1) if "".join(cell["source"]).strip() == source.strip()]
            return "cell %d" % (count if count in same else same[0])
    except Exception:
        pass
    return "In [%d]" % count
