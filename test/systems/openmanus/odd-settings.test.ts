import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder } from "../../support/a-folder.ts";
import {
  createTokenCounter,
  loadConfig,
  openManus,
  readSettings,
} from "../../../src/systems/openmanus/index.ts";

test("all missing settings are reported at once, as configuration faults", () => {
  expect(() => readSettings({ file: { llm: { max_input_tokens: "x", max_tokens: -1 } } })).toThrow(
    expect.objectContaining({
      where: "config",
      message: [
        "llm.default.model: Input should be a valid string",
        "llm.default.base_url: Input should be a valid string",
        "llm.default.api_key: Input should be a valid string",
        "llm.default.max_tokens: Input should be a valid integer, got a negative number",
        "llm.default.max_input_tokens: Input should be a valid integer, unable to parse string as an integer",
      ].join("; "),
    }),
  );
});

test("a folder whose config is a file has no configuration", async () => {
  const root = aFolder();
  await writeFile(join(root, "config"), "");

  await expect(loadConfig({ root })).rejects.toThrow("No configuration file found in config directory");
});

test("an unreadable configuration is reported with its folder", async () => {
  const root = aFolder();
  await mkdir(join(root, "config", "config.toml"), { recursive: true });

  await expect(loadConfig({ root })).rejects.toMatchObject({
    message: "config/config.toml cannot be read: EISDIR",
    where: join(root, "config"),
  });
});

test.each([[{ width: 5 }], [{ height: 5 }], [[5]], [[5, -1]], [["5", 5]], [[5, Number.POSITIVE_INFINITY]]])(
  "a picture with the sides %j is refused",
  (dimensions) => {
    const counter = createTokenCounter((text) => text.length);

    expect(() => counter.countImage({ detail: "high", dimensions })).toThrow(
      expect.objectContaining({ where: "dimensions" }),
    );
  },
);

test("a configuration that was not there is looked for again", async () => {
  const root = aFolder();
  const manus = openManus({ root });

  await expect(manus.config()).rejects.toThrow("No configuration file found");
  await mkdir(join(root, "config"));
  await writeFile(
    join(root, "config", "config.toml"),
    '[llm]\nmodel = "m"\nbase_url = "https://a.test"\napi_key = "k"\n',
  );

  expect((await manus.config()).llm["default"]?.model).toBe("m");
});
