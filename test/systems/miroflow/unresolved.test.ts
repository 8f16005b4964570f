import { expect, test } from "vitest";
import { readSettings } from "../../../src/systems/miroflow/settings.ts";

const llm = {
  provider: "openai",
  model_name: "m",
  temperature: 1,
  top_p: 1,
  min_p: 0,
  top_k: -1,
  max_context_length: 9,
  max_tokens: 9,
  async_client: true,
};

test.each(["api_key", "base_url"])("an interpolation of Hydra that nobody resolved is no %s", (name) => {
  const cfg = { agent: { keep_tool_result: -1 }, llm: { ...llm, [name]: "${oc.env:LLM_VALUE}" } };

  expect(() => readSettings(cfg)).toThrow(`llm.${name}: has an interpolation that is not resolved`);
});
