"""Modules that an original imports and these tests do not need: whatever is asked of them is there."""
import importlib.abc
import importlib.machinery
import sys
import types


class Anything:
    def __init__(self, *_, **__):
        pass

    def __call__(self, *args, **__):
        return args[0] if len(args) == 1 and callable(args[0]) else Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __or__(self, _):
        return self

    __ror__ = __add__ = __radd__ = __or__

    def __mro_entries__(self, _):
        return (Anything,)

    def __getitem__(self, _):
        return Anything()

    def __iter__(self):
        return iter(())


class Stub(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = type(name, (Exception,), {}) if name.endswith("Error") else Anything()
        setattr(self, name, value)
        return value


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, *_):
        top = any(name == own or name.startswith(own + ".") for own in self.names)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if top else None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


def stub(*names):
    sys.meta_path.insert(0, Stubs(names))


def bare(name, folder):
    """A package that loads only the requested modules, not its own imports."""
    module = types.ModuleType(name)
    module.__path__ = [folder]
    sys.modules[name] = module
