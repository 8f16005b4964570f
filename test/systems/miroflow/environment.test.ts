import { afterEach, expect, test, vi } from "vitest";
import { clientFactory, openAiProvider, readSettings } from "../../../src/systems/miroflow/index.ts";
import { LLM } from "./stand-in.ts";

const agent = { keep_tool_result: -1 };

afterEach(() => vi.unstubAllEnvs());

/** The values on the right are OmegaConf 2.4's. */
test.each([
  ["${oc.env:A}", "va"],
  ["${ oc.env: A }", "va"],
  ["http://${oc.env:A}/x", "http://va/x"],
  ["${oc.env:A}${oc.env:A}", "vava"],
  ["${oc.env:EMPTY,default}", ""],
  ["${oc.env:MISSING,default}", "default"],
  ["${oc.env:MISSING, default }", "default"],
  ["${oc.env:MISSING,}", ""],
  ["${oc.env:MISSING,https://a.example/v1}", "https://a.example/v1"],
  ["${oc.env:MISSING,'a, b'}", "a, b"],
  ["${oc.env:MISSING,null}", null],
  ["x${oc.env:MISSING,null}y", "xNoney"],
  ["${oc.env:MISSING,${oc.env:A}}", "va"],
  ["${oc.env:MISSING,${oc.env:NEITHER,b}}", "b"],
  ["${oc.env:ODD}", "a,}${oc.env:A}"],
  ["a}b", "a}b"],
])("%s is read from the environment as %s", (api_key, expected) => {
  const environment = { A: "va", EMPTY: "", ODD: "a,}${oc.env:A}" };

  expect(readSettings({ agent, llm: { ...LLM, api_key } }, environment).apiKey).toBe(expected);
});

test.each(["${oc.env:LLM_VALUE}", "${oc.env:LLM_VALUE,???}", "x${oc.env:LLM_VALUE}"])(
  "%s names the setting and the variable that is not set",
  async (value) => {
    const cfg = { agent, llm: { ...LLM, provider: value } };
    await expect(clientFactory({ taskId: "1", cfg })).rejects.toThrow(
      "llm.provider: the environment variable LLM_VALUE is not set",
    );
    for (const name of ["api_key", "base_url", "model_name"])
      expect(() => readSettings({ agent, llm: { ...LLM, [name]: value } }, {})).toThrow(
        `llm.${name}: the environment variable LLM_VALUE is not set`,
      );
  },
);

test.each(["${llm.key}", "${oc.decode:x}", "${oc.env:A,B,C}", "${oc.env}"])(
  "%s is an interpolation that is not resolved here",
  (base_url) => {
    expect(() => readSettings({ agent, llm: { ...LLM, base_url } }, { A: "va" })).toThrow(
      `llm.base_url: has an interpolation that is not resolved: ${base_url}`,
    );
  },
);

test("a client is made with the key, the address, and the provider of the process's environment", async () => {
  vi.stubEnv("LLM_API_KEY", "k-1");
  vi.stubEnv("LLM_PROVIDER", "mine");
  const cfg = {
    agent,
    llm: { ...LLM, provider: "${oc.env:LLM_PROVIDER}", api_key: "${oc.env:LLM_API_KEY}" },
  };
  const mine = { ...openAiProvider, connect: async () => ({ client: {}, send: async () => ({}) }) };

  const client = await clientFactory({ taskId: "1", cfg, providers: { mine } });

  expect([client.settings.apiKey, client.settings.provider]).toEqual(["k-1", "mine"]);
});
