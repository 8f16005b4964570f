import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { aProject, tapedeck } from "./tapedeck.ts";

const newNode = resolve(import.meta.dirname, "../runners/node_modules/node-26/bin/node");
const permission = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";
/** Without it a newer Node opens no connection at all. */
const net = process.allowedNodeEnvironmentFlags.has("--allow-net") ? ["--allow-net"] : [];
const FILES = { "say.cjs": 'console.log("ran");' };

it("a program that only calls fetch, with the address in its code, is guarded: its call is a miss", async () => {
  const asks = `fetch("https://api.openai.com/v1/models").then(({ status }) => console.log(status));`;
  const cwd = aProject({ "ask.cjs": asks });

  const { stdout, stderr, code } = await tapedeck(["run", "--", process.execPath, "ask.cjs"], { cwd });

  expect(stdout).toBe("404\n");
  expect(stderr).toContain("0 replayed · 1 missing · 0 sent");
  expect(code).toBe(3);
});

describe("a Node that may read its own project only", () => {
  it("runs under a command that allows it", async () => {
    const cwd = aProject(FILES);
    const command = [process.execPath, permission, `--allow-fs-read=${cwd}`, "say.cjs"];

    const { stdout, code } = await tapedeck(["run", "--", ...command], { cwd });

    expect({ stdout, code }).toEqual({ stdout: "ran\n", code: 0 });
  });

  it("is guarded as any other: a call to the address in its code is a miss", async () => {
    const asks = `fetch("https://api.openai.com/v1/models").then(({ status }) => console.log(status));`;
    const cwd = aProject({ "ask.cjs": asks });
    const command = [process.execPath, permission, ...net, `--allow-fs-read=${cwd}`, "ask.cjs"];

    const { stdout, stderr, code } = await tapedeck(["run", "--", ...command], { cwd });

    expect(stdout).toBe("404\n");
    expect(stderr).toContain("0 replayed · 1 missing · 0 sent");
    expect(code).toBe(3);
  });

  it("runs without files that it may not read when that is unknown beforehand (needs node scripts/install-runners.mjs)", async ({
    skip,
  }) => {
    skip(!existsSync(newNode), "Node 26 is not here: node scripts/install-runners.mjs");
    const cwd = aProject(FILES);
    const script = `${JSON.stringify(newNode)} --permission --allow-fs-read=${JSON.stringify(cwd)} say.cjs`;

    const { stdout } = await tapedeck(["run", "--", "sh", "-c", script], { cwd });

    expect(stdout).toBe("ran\n");
  });
});
