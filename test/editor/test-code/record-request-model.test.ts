import { expect, it } from "vitest";
import { splitByTests, planRecordingLater } from "../../../src/editor/test-code/test-target-model.ts";

it("a call outside of a runner is recorded when it is repeated, and no test is looked for", () => {
  const calls = [
    { miss: { key: "sha256:a" }, test: { file: "chat.test.ts", name: ["says hi"], runner: "vitest" } },
    { miss: { key: "sha256:b" }, test: { file: "ask.py", name: [] } },
    { miss: { key: "sha256:c" } },
  ] as const;

  expect(splitByTests(calls)).toEqual({
    tested: [{ test: calls[0].test, key: "sha256:a" }],
    untested: [calls[1], calls[2]],
  });
});

it("a call to MetaGPT's cache is recorded by its process, which needs the mode", () => {
  const own = { miss: { key: "sha256:a" } } as const;
  const cached = { miss: { key: "sha256:b", cacheFile: "tests/data/rsp_cache.json" } } as const;

  expect(planRecordingLater([own, cached])).toEqual({
    keys: ["sha256:a"],
    text:
      "No known test makes this call. Run the program that makes it again to record the call. " +
      "No known test makes this call to MetaGPT's cache. Switch Tapedeck to Record, then run MetaGPT again.",
  });
  expect(planRecordingLater([])).toEqual({ keys: [], text: undefined });
});
