import { expect, it } from "vitest";
import { byTests } from "../../../src/editor/call-commands/record-request-model.ts";

it("what no runner runs is recorded when it is made again, and no test is looked for in it", () => {
  const calls = [
    { miss: { key: "sha256:a" }, test: { file: "chat.test.ts", name: ["says hi"], runner: "vitest" } },
    { miss: { key: "sha256:b" }, test: { file: "ask.py", name: [] } },
    { miss: { key: "sha256:c" } },
  ] as const;

  expect(byTests(calls)).toEqual({
    tested: [{ test: calls[0].test, key: "sha256:a" }],
    untested: [calls[1], calls[2]],
  });
});
