import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHookEnvironment } from "../../src/hooks/environment.ts";
import { findHooksPlace, copyStableHooks } from "../../src/hooks/stable-hooks.ts";
import { hooksDir } from "../fixtures/runners/hooked.ts";
import { run } from "../fixtures/runners/project.ts";

// Each test starts several programs, on machines that may be busy.

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const isWindows = process.platform === "win32";

/** An extension with hooks in it, as it is installed, and the place of a user. */
function anInstallation() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tapedeck stable-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const source = join(folder, "extension-1.0.0");
  cpSync(hooksDir, source, { recursive: true });
  return { folder, source, place: join(folder, "data", "hooks") };
}

/** The environment of a terminal that was opened while the hooks were there. No server listens at the address. */
const terminal = (dir: string): Record<string, string> =>
  createHookEnvironment({ hooksDir: dir, url: "http://127.0.0.1:9/t", roots: ["/"], delimiter, base: {} });

const SHOW = 'console.log("ran", globalThis[Symbol.for("tapedeck.attribution")] === true)';
const node = (cwd: string, dir: string) =>
  run({ command: process.execPath, args: ["-e", SHOW], cwd }, terminal(dir));

describe("a terminal that was opened before", () => {
  it("starts Node with the hooks when the extension has been removed", async () => {
    const { folder, source, place } = anInstallation();
    const dir = await copyStableHooks({ source, place });

    rmSync(source, { recursive: true });

    expect(await node(folder, dir)).toEqual({ code: 0, output: "ran true\n" });
  });

  it.skipIf(!hasPython)("starts Python with the hooks when it has been removed (needs python3)", async () => {
    const { folder, source, place } = anInstallation();
    const dir = await copyStableHooks({ source, place });

    rmSync(source, { recursive: true });

    const args = ["-c", 'import sys; print("ran", "tapedeck_hooks" in sys.modules)'];
    const ran = await run({ command: "python3", args, cwd: folder }, terminal(dir));
    expect(ran).toEqual({ code: 0, output: "ran True\n" });
  });

  it("keeps the hooks that it knows through an update, which has its own", async () => {
    const { folder, source, place } = anInstallation();
    const before = await copyStableHooks({ source, place });
    const next = join(folder, "extension-2.0.0");
    cpSync(source, next, { recursive: true });
    appendFileSync(join(next, "javascript", "tapedeck-preload.cjs"), 'console.log("second");\n');
    rmSync(source, { recursive: true });

    const after = await copyStableHooks({ source: next, place });

    expect((await node(folder, before)).output).toBe("ran true\n");
    expect((await node(folder, after)).output).toBe("second\nran true\n");
  });
});

describe("a file in the place", () => {
  it.each([
    ["cut short", (path: string) => truncateSync(path, 40)],
    ["changed", (path: string) => appendFileSync(path, "process.exit(7);\n")],
    ["gone", (path: string) => rmSync(path)],
  ])("is put right before it is used when a file is %s", async (_, damage) => {
    const { source, place } = anInstallation();
    const dir = await copyStableHooks({ source, place });
    const preload = join("javascript", "tapedeck-preload.cjs");
    damage(join(dir, preload));

    expect(await copyStableHooks({ source, place })).toBe(dir);

    expect(readFileSync(join(dir, preload), "utf8")).toBe(readFileSync(join(source, preload), "utf8"));
  });

  it("is whole when several windows begin at once", async () => {
    const { folder, source, place } = anInstallation();

    const [dir = "", ...others] = await Promise.all(
      Array.from({ length: 8 }, () => copyStableHooks({ source, place })),
    );

    expect(new Set(others)).toEqual(new Set([dir]));
    expect((await node(folder, dir)).output).toBe("ran true\n");
    expect(readdirSync(join(dir, "javascript")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it.skipIf(isWindows)("is for its user alone, and not used where others may write it (POSIX)", async () => {
    const { source, place } = anInstallation();
    const dir = await copyStableHooks({ source, place });
    const modes = [place, dir, join(dir, "javascript", "tapedeck-preload.cjs")].map(
      (path) => statSync(path).mode & 0o777,
    );

    chmodSync(place, 0o777);

    expect(modes).toEqual([0o700, 0o700, 0o600]);
    await expect(copyStableHooks({ source, place })).rejects.toThrow("only its user may write");
  });

  it("is not used when it cannot be made", async () => {
    const { folder, source } = anInstallation();
    writeFileSync(join(folder, "a file"), "");

    await expect(copyStableHooks({ source, place: join(folder, "a file", "hooks") })).rejects.toThrow(
      /ENOTDIR|EEXIST/,
    );
  });
});

it.skipIf(process.platform !== "linux")(
  "the place is the user's, and no snap's version has it (Linux)",
  () => {
    expect(findHooksPlace({}, "/home/me")).toBe("/home/me/.local/share/tapedeck/hooks");
    expect(findHooksPlace({ XDG_DATA_HOME: "/data" }, "/home/me")).toBe("/data/tapedeck/hooks");
    expect(
      findHooksPlace(
        { XDG_DATA_HOME: "/home/me/snap/code/1/.local/share", SNAP: "/snap/code/1" },
        "/home/me",
      ),
    ).toBe("/home/me/.local/share/tapedeck/hooks");
  },
);
