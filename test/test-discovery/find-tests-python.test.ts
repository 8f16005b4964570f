import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestFinder, type TestFinder } from "../../src/test-discovery/find-tests.ts";
import { grammarsDir, outline } from "./finder.ts";

let finder: TestFinder;
beforeAll(async () => {
  finder = await createTestFinder({ grammarsDir });
});
afterAll(() => finder.dispose());

const SOURCE = `import pytest, unittest
def helper(): pass
def test_plain():
    def test_nested_not(): pass
    class TestNot:
        def test_neither(self): pass
@pytest.mark.parametrize("x", [1, 2])
@pytest.mark.skip
def test_param(x): pass
class TestK:
    def helper(self): pass
    async def test_m(self): pass
    class TestInner:
        def test_deep(self): pass
class Case(unittest.TestCase):
    def setUp(self): pass
    @unittest.expectedFailure
    def test_ut(self): pass
class Derived(Case):
    def test_derived(self): pass
class AC(unittest.IsolatedAsyncioTestCase):
    async def test_two(self): pass
class Helper:
    def test_no(self): pass
@pytest.mark.asyncio
async def test_async(): pass
@pytest.mark.parametrize("y", ["a"])
class TestAll:
    @pytest.mark.xfail(reason="x")
    def test_p(self, y): pass
"""
def test_in_a_string(): pass
"""
# def test_in_a_comment(): pass
if True:
    def test_été(): pass
`;

test("exactly the tests that pytest and unittest collect are found, with pytest's ids and their first lines", async () => {
  const { tests } = await finder.findTests(SOURCE, "python");
  const ids = tests.map(({ id, firstLine }) => `${firstLine} ${id}`);

  // `vitest FILE -u` writes the page anew.
  await expect([SOURCE, outline(tests), "", ...ids, ""].join("\n")).toMatchFileSnapshot(
    "found-in-python.txt",
  );
});
