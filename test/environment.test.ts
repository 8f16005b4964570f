import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { isForeign } from "../scripts/host/environment.mjs";
import { rootDir } from "../scripts/host/paths.mjs";
import { PROVIDERS } from "../src/core/protocol/providers.ts";

describe("tests and the demo are without", () => {
  it("each variable that gives a provider's client an address or a key", () => {
    const names = PROVIDERS.flatMap(({ variables, keyVariables, otherCredentials = [] }) => [
      ...variables.map(({ name }) => name),
      ...keyVariables,
      ...otherCredentials,
    ]);

    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => !isForeign(name))).toEqual([]);
  });

  it.each(["CI", "FORCE_COLOR", "https_proxy", "GITHUB_TOKEN", "DB_PASSWORD", "TAPEDECK_URL"])(
    "%s",
    (name) => {
      expect(isForeign(name)).toBe(true);
    },
  );

  it.each(["PATH", "HOME", "LANG", "TEST_LONG", "TAPEDECK_WITHOUT", "CHROMIUM_PATH"])(
    "but not %s",
    (name) => {
      expect(isForeign(name)).toBe(false);
    },
  );

  it("the time zone of the machine, in the process and its children", () => {
    const module = pathToFileURL(join(rootDir, "scripts/host/environment.mjs")).href;
    const print = "console.log(process.env.OPENAI_API_KEY, new Date(0).getHours())";
    const program = `import { spawnSync } from "node:child_process";
      const { dropForeign } = await import(${JSON.stringify(module)});
      dropForeign();
      ${print};
      console.log(String(spawnSync(process.execPath, ["-e", ${JSON.stringify(print)}]).stdout).trim());`;

    const env = { PATH: process.env["PATH"], OPENAI_API_KEY: "k", TZ: "Pacific/Auckland" };
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      env,
      encoding: "utf8",
    });

    expect(stdout).toBe("undefined 0\nundefined 0\n");
  });
});
