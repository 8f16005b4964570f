import { expect, test } from "vitest";
import { loadConfig, shownSettings } from "../../../src/systems/openmanus/settings.ts";
import { goldenFile } from "../../client/golden.ts";
import { aClient, aManus, configFolder, FILE } from "./singleton.ts";

const golden = goldenFile("openmanus-config");

golden.test(
  "settings come from the same files with the same defaults and errors [OM-31, OM-32, OM-33, OM-34, OM-D14]",
  {
    async run({ input }) {
      const root = configFolder({
        "config.toml": input.config_toml,
        "config.example.toml": input.example_toml,
        "mcp.json": input.mcp_json,
      });
      return loadConfig({ root });
    },
    // A client needs only these sections. The parser's error text differs; the place is the same.
    reduce: (value, { name }) => {
      const { llm, mcp, error } = value as {
        llm?: unknown;
        mcp?: { servers: unknown };
        error?: { message: string };
      };
      if (error === undefined) return { llm, servers: mcp?.servers };
      if (name === "config-bad-toml") return /\b1\b.*\b5\b|:1:\d/.test(error.message);
      return error.message.slice(0, name === "config-mcp-json-bad" ? 40 : undefined);
    },
  },
);
golden.done();

test("code comes before environment, environment before the file's own table, and no key is shown [OM-I6]", async () => {
  const root = configFolder({ "config.toml": FILE });
  const environment = { OPENMANUS_MODEL: "env", OPENMANUS_MAX_TOKENS: "16", OTHER: "x" };

  const { llm } = await loadConfig({ root, environment, code: { c: { model: "code" } } });

  expect([llm["default"]?.model, llm["v"]?.model, llm["c"]?.model]).toEqual(["env", "o1", "code"]);
  expect(llm["c"]?.max_tokens).toBe(16);
  expect(shownSettings(llm["c"]!).api_key).toBe("***");
  expect(shownSettings({ ...llm["c"]!, api_key: "" }).api_key).toBe("");
});

test("an example file's placeholder key is refused [OM-D15]", async () => {
  for (const key of ["YOUR_API_KEY", "<your key>", "sk-...", "your-openai-key"]) {
    const root = configFolder({ "config.example.toml": FILE.replace('"k"', `"${key}"`) });

    await expect(loadConfig({ root })).rejects.toThrow("llm.default.api_key: is a placeholder");
  }
});

test("settings are read once, also by callers at the same time, and a name keeps its settings [OM-30, OM-D4]", async () => {
  let connected = 0;
  const manus = aManus(async () => {
    connected += 1;
    return aClient();
  });

  const [a, b, first, second] = await Promise.all([manus.config(), manus.config(), manus.llm(), manus.llm()]);
  const refused = await manus.llm("default", { model: "x" }).catch((error: Error) => error.message);
  const replaced = await manus.llm("default", { model: "x" }, { replace: true });
  const same = await manus.llm("default", { model: "x" });

  expect(a).toBe(b);
  expect(first).toBe(second);
  expect(refused).toBe('llm: "default" is in use with other settings');
  expect([replaced.model, same === replaced, connected]).toEqual(["x", true, 2]);
});

test("a name of Object's own is a name like any other, and a failed start can be tried again", async () => {
  let fails = true;
  const manus = aManus(async () => {
    if (fails) throw new Error("no network");
    return aClient();
  });

  await expect(manus.llm("constructor")).rejects.toThrow("no network");
  fails = false;

  expect((await manus.llm("constructor")).model).toBe("gpt-4o");
});
