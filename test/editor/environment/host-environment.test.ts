import { delimiter } from "node:path";
import { mkdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { planEnvironment, type VariableChange } from "../../../src/editor/environment/environment-model.ts";
import {
  createHostEnvironment,
  type HostShare,
  createProcessEnvironment,
} from "../../../src/editor/environment/host-environment.ts";
import { createHookVariables } from "../../../src/hooks/environment.ts";
import { hooksDir } from "../../fixtures/runners/hooked.ts";
import { aProject, run } from "../../fixtures/runners/project.ts";
import { casesOf } from "../../support/cases.ts";
import { hasPython, NEEDS_PYTHON } from "../../support/python.ts";

// Each test starts several programs, on machines that may be busy.

const SHOWN = ["TAPEDECK_URL", "TAPEDECK_ROOTS", "OPENAI_BASE_URL", "OPENAI_API_KEY"];
const FILES = {
  "desk/show.cjs": `console.log(JSON.stringify(${JSON.stringify(SHOWN)}.map((name) => process.env[name] ?? null)))`,
  "desk/show.py": `import json, os; print(json.dumps([os.environ.get(name) for name in ${JSON.stringify(SHOWN)}]))`,
  "desk/child.cjs": `require("node:child_process").spawnSync(process.execPath, [__dirname + "/show.cjs"], { stdio: "inherit", cwd: process.argv[2] })`,
};

/** A window with the folders desk, the first one, shop, and shop/inner, in an extension host with these variables. */
function aWindow(variables: NodeJS.ProcessEnv = {}) {
  const project = aProject(FILES);
  onTestFinished(() => project.remove());
  mkdirSync(project.path("shop/inner/deep"), { recursive: true });
  let first = "desk";
  const host = createHostEnvironment(createProcessEnvironment(variables));
  const shareOf = (name: string): HostShare =>
    host({ root: project.path(name), isFirst: () => name === first });
  const shown = async (command: string, file: string, cwd: string, args: readonly string[] = []) => {
    const env = Object.fromEntries(
      Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const all = [project.path(`desk/${file}`), ...args];
    const { output } = await run({ command, args: all, cwd: project.path(cwd) }, env);
    return JSON.parse(output) as readonly (string | null)[];
  };
  return {
    desk: shareOf("desk"),
    shop: shareOf("shop"),
    inner: shareOf("shop/inner"),
    path: (name: string) => project.path(name),
    /** The variables that a folder's session sets. */
    plan: (name: string, port: number): readonly VariableChange[] => {
      const url = `http://127.0.0.1:${port}/token`;
      const roots = [project.path(name)];
      return planEnvironment({
        addresses: { OPENAI_BASE_URL: `${url}/openai/v1` },
        providers: [{ keyVariables: ["OPENAI_API_KEY"] }],
        hooks: createHookVariables({ url, roots, hooksDir, delimiter }),
        user: {},
        elsewhere: new Set(name === "shop" ? ["OPENAI_API_KEY"] : []),
        delimiter,
      }).changes;
    },
    inNode: (cwd: string) => shown(process.execPath, "show.cjs", cwd),
    inPython: (cwd: string) => shown("python3", "show.py", cwd),
    inChild: (cwd: string, childCwd: string) =>
      shown(process.execPath, "child.cjs", cwd, [project.path(childCwd)]),
    firstIs: (name: string) => (first = name),
  };
}

const PROGRAMS = [
  { program: "inNode", name: "in Node", isThere: true },
  { program: "inPython", name: `in Python ${NEEDS_PYTHON}`, isThere: hasPython },
] as const;

describe("programs that an extension starts in a window with several folders", () => {
  for (const { program, name, isThere } of PROGRAMS) {
    it.skipIf(!isThere)(`has the variables of the folder that it is started in, ${name}`, async () => {
      const window = aWindow({ KEPT: "1" });
      window.desk.set(window.plan("desk", 1));
      window.shop.set(window.plan("shop", 2));
      window.inner.set(window.plan("shop/inner", 3));

      const desk = await window[program]("desk");
      const shop = await window[program]("shop");
      const inner = await window[program]("shop/inner/deep");
      const outside = await window[program](".");

      expect(desk.slice(0, 3)).toEqual([
        "http://127.0.0.1:1/token",
        window.path("desk"),
        "http://127.0.0.1:1/token/openai/v1",
      ]);
      expect(desk[3]).not.toBeNull();
      // Its key is in its .env file, so no placeholder may hide it.
      expect(shop).toEqual([
        "http://127.0.0.1:2/token",
        window.path("shop"),
        "http://127.0.0.1:2/token/openai/v1",
        null,
      ]);
      expect(inner.slice(0, 3)).toEqual([
        "http://127.0.0.1:3/token",
        window.path("shop/inner"),
        "http://127.0.0.1:3/token/openai/v1",
      ]);
      expect(outside).toEqual(desk);
    });
  }

  for (const { program, name, isThere } of casesOf<readonly (typeof PROGRAMS)[number][]>({
    quick: PROGRAMS.slice(0, 1),
    long: PROGRAMS,
  })) {
    it.skipIf(!isThere)(`has none in a folder that is off, but the user's own, ${name}`, async () => {
      const window = aWindow({ OPENAI_BASE_URL: "https://own.example" });
      window.desk.set(window.plan("desk", 1));

      const shop = await window[program]("shop");

      expect(shop).toEqual([null, null, "https://own.example", null]);
    });

    it.skipIf(!isThere)(`has its folder's where only the first one is off, ${name}`, async () => {
      const window = aWindow();
      window.shop.set(window.plan("shop", 2));

      const [desk, shop] = [await window[program]("desk"), await window[program]("shop")];

      expect(desk).toEqual([null, null, null, null]);
      expect(shop[0]).toBe("http://127.0.0.1:2/token");
    });

    it.skipIf(!isThere)(`keeps what the extension itself has set, ${name}`, async () => {
      const variables: NodeJS.ProcessEnv = {};
      const window = aWindow(variables);
      window.desk.set(window.plan("desk", 1));
      window.shop.set(window.plan("shop", 2));
      variables["OPENAI_BASE_URL"] = "https://set.by.it";

      const shop = await window[program]("shop");

      expect(shop[0]).toBe("http://127.0.0.1:2/token");
      expect(shop[2]).toBe("https://set.by.it");
    });
  }

  it("stays with its folder, wherever its own children run", async () => {
    const window = aWindow();
    window.desk.set(window.plan("desk", 1));
    window.shop.set(window.plan("shop", 2));
    window.inner.set(window.plan("shop/inner", 3));

    expect((await window.inChild("shop", "shop/inner"))[0]).toBe("http://127.0.0.1:2/token");
  });
});

describe("the extension host's variables", () => {
  it("are those of the folder that is the first one now, and are taken back with the last", () => {
    const variables: NodeJS.ProcessEnv = { PATH: "/bin" };
    const window = aWindow(variables);
    window.desk.set(window.plan("desk", 1));
    window.shop.set(window.plan("shop", 2));
    expect(variables["TAPEDECK_URL"]).toBe("http://127.0.0.1:1/token");

    window.firstIs("shop");
    window.desk.dispose();
    window.inner.dispose();

    expect(variables["TAPEDECK_URL"]).toBe("http://127.0.0.1:2/token");
    expect(variables["TAPEDECK_FOLDERS"]).toBeUndefined();
    window.shop.takeBack();
    expect(variables).toEqual({ PATH: "/bin" });
  });

  it("are shared by none: no folder mistakes another one's for the user's", () => {
    const window = aWindow({ TAPEDECK_URL: "the user's" });

    window.desk.set(window.plan("desk", 1));

    expect(window.shop.without()["TAPEDECK_URL"]).toBe("the user's");
  });

  it("hold no table that is too long for a variable: then all have the first folder's", () => {
    const variables: NodeJS.ProcessEnv = {};
    const window = aWindow(variables);
    window.desk.set(window.plan("desk", 1));

    window.shop.set([{ name: "LONG", how: "replace", value: "x".repeat(30_000) }]);

    expect(variables["TAPEDECK_FOLDERS"]).toBeUndefined();
    expect(variables["TAPEDECK_URL"]).toBe("http://127.0.0.1:1/token");
  });
});
