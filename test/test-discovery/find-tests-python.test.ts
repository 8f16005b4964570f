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

test("exactly the tests that pytest and unittest collect are found", async () => {
  const tests = (await finder.findTests(SOURCE, "python")).tests;

  expect(outline(tests)).toBe(
    [
      'test "test_plain" 3-6',
      'test "test_param" 9-9 skip [param]',
      'suite "TestK" 10-14',
      '  test "test_m" 12-12',
      '  suite "TestInner" 13-14',
      '    test "test_deep" 14-14',
      'suite "Case" 15-18',
      '  test "test_ut" 18-18 expectedFailure',
      'suite "Derived" 19-20',
      '  test "test_derived" 20-20',
      'suite "AC" 21-22',
      '  test "test_two" 22-22',
      'test "test_async" 26-26',
      'suite "TestAll" 28-30 [param]',
      '  test "test_p" 30-30 xfail [param]',
      'test "test_été" 36-36',
    ].join("\n"),
  );
});

test("a test's id is pytest's name after the file, and its first line is that of its decorators", async () => {
  const tests = (await finder.findTests(SOURCE, "python")).tests;

  const ids = tests.map(({ id, firstLine }) => `${firstLine} ${id}`);

  expect(ids.slice(0, 6)).toEqual([
    "3 test_plain",
    "7 test_param",
    "10 TestK",
    "12 TestK::test_m",
    "13 TestK::TestInner",
    "14 TestK::TestInner::test_deep",
  ]);
});
