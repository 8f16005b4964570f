import { expect, it } from "vitest";
import { MODES } from "../../../src/core/call/call.ts";
import { applyChanges, planEnvironment } from "../../../src/editor/environment/environment-model.ts";
import { createMetagptSwitch } from "../../../src/editor/metagpt/switch-model.ts";

const HOOKS = {
  set: { TAPEDECK_URL: "u", TAPEDECK_ROOTS: "r" },
  nodeOption: "",
  pythonFolder: undefined,
};

it("MetaGPT's tests may call only in modes that allow calls, whatever the user's own variable is [MG-23, MG-D1]", () => {
  const values = MODES.map((mode) => {
    const user = { ALLOW_OPENAI_API_CALL: "1" };
    const { changes } = planEnvironment({
      addresses: {},
      providers: [],
      hooks: HOOKS,
      user,
      elsewhere: new Set(),
      delimiter: ":",
      switches: createMetagptSwitch(mode, ["tests/data/rsp_cache.json"]),
    });
    return [mode, applyChanges(changes, user)["ALLOW_OPENAI_API_CALL"]];
  });

  expect(Object.fromEntries(values)).toEqual({
    strict: "0",
    lenient: "0",
    record: "1",
    refresh: "1",
    live: "1",
  });
});

it("the value of MetaGPT's switch is shown, and nothing is set without a cache", () => {
  const [strict] = createMetagptSwitch("strict", ["rsp_cache.json"]);

  expect(strict?.note).toBe(
    "MetaGPT's tests get answers only from rsp_cache.json (ALLOW_OPENAI_API_CALL=0).",
  );
  expect(createMetagptSwitch("record", [])).toEqual([]);
});
