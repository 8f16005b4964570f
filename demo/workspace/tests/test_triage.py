"""Runs under pytest, and without it: python -m unittest discover tests"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from triage import is_urgent  # noqa: E402


class TriageTest(unittest.TestCase):
    def test_a_shop_that_is_down_is_urgent(self):
        self.assertTrue(is_urgent("Our shop is down and customers cannot pay."))

    def test_a_question_about_colors_is_not_urgent(self):
        self.assertFalse(is_urgent("Do you sell the lamp in green?"))


if __name__ == "__main__":
    unittest.main()
