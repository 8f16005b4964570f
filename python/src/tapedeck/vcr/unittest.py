"""A mixin for `unittest` that opens a cassette for each test."""

from __future__ import annotations

import inspect
import os
import unittest
from typing import Any

from .config import VCR


class VCRMixin:
    """Opens `cassettes/CLASS.METHOD.yaml` beside the file of the class."""

    vcr_enabled = True

    def setUp(self) -> None:
        super().setUp()  # type: ignore[misc]
        if self.vcr_enabled:
            use = self._get_vcr(**self._get_vcr_kwargs()).use_cassette(self._get_cassette_name())
            self.cassette = use.__enter__()
            self.addCleanup(use.__exit__, None, None, None)  # type: ignore[attr-defined]

    def _get_vcr(self, **options: Any) -> VCR:
        options.setdefault("cassette_library_dir", self._get_cassette_library_dir())
        return VCR(**options)

    def _get_vcr_kwargs(self, **options: Any) -> dict[str, Any]:
        return options

    def _get_cassette_library_dir(self) -> str:
        return os.path.join(os.path.dirname(inspect.getfile(type(self))), "cassettes")

    def _get_cassette_name(self) -> str:
        return f"{type(self).__name__}.{self._testMethodName}.yaml"  # type: ignore[attr-defined]


class VCRTestCase(VCRMixin, unittest.TestCase):
    """A test case whose tests have a cassette each."""
