import { chmodSync, existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DoctorFinding } from "../../../src/cli/commands/doctor.ts";
import { hasPython, NEEDS_PYTHON } from "../../support/python.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

async function examined(files: Record<string, string>, env: Record<string, string> = {}) {
  const cwd = aProject(files);
  for (const file of ["node", ".venv/bin/python"])
    if (files[file] !== undefined) chmodSync(`${cwd}/${file}`, 0o755);
  const { code, stdout } = await tapedeck(["doctor", "--json"], {
    cwd,
    env: { ...env, ...(files["node"] !== undefined && { PATH: `${cwd}:${process.env["PATH"]}` }) },
  });
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly DoctorFinding[] };
  const find = (of: string) => findings.find((finding) => finding.of === of);
  return {
    cwd,
    code,
    stdout,
    find,
    bad: findings.filter(({ state }) => state === "bad").map(({ of }) => of),
  };
}

/** A package of the project's, as a client that asks by node:https. */
const OWN_AXIOS = `
const https = require("node:https");
exports.post = (url, body, { headers }) => new Promise((done, fail) =>
  https.request(url, { method: "POST", headers }, (reply) => reply.resume().on("end", done)).on("error", fail).end(body));
`;

describe("doctor", () => {
  it("finds no problems if each client's call arrives, and leaves nothing behind", async () => {
    const { cwd, code, find, bad } = await examined({
      "package.json": "{}",
      "node_modules/axios/index.js": OWN_AXIOS,
    });

    expect(bad).toEqual([]);
    expect(code).toBe(0);
    for (const client of ["variable", "fetch", "https", "http2", "axios"])
      expect(find(`node ${client}`)).toMatchObject({ state: "well" });
    expect(find("node undici")).toBeUndefined();
    expect(find("node")?.text).toMatch(/^v\d+\.\d+\.\d+: the hooks are loaded$/);
    expect(existsSync(`${cwd}/.tapedeck`)).toBe(false);
  });

  it.skipIf(!hasPython)(`tries Python, too${NEEDS_PYTHON}`, async () => {
    const { find } = await examined({ "requirements.txt": "respx\n" });

    expect(find("python")?.text).toContain("the hooks are loaded");
    for (const client of ["variable", "urllib"])
      expect(find(`python ${client}`)).toMatchObject({ state: "well" });
    expect(find("python mocks")).toMatchObject({
      state: "told",
      text: "a package that requirements.txt names intercepts calls by address",
    });
  });

  it("names the clients whose calls would not be seen, and ends with 1", async () => {
    const { code, find, bad } = await examined({}, { TAPEDECK_GUARD: "off" });

    expect(bad).toEqual(expect.arrayContaining(["node fetch", "node https", "node http2"]));
    expect(bad).not.toContain("node variable");
    expect(find("node fetch")?.hint).toContain("docs/clients.md");
    expect(code).toBe(1);
  });

  it.skipIf(process.platform === "win32")("reports if the hooks do not load in Node (POSIX)", async () => {
    const { code, find } = await examined({
      node: `#!/bin/sh\nunset NODE_OPTIONS\nexec '${process.execPath}' "$@"\n`,
    });

    expect(find("node")).toMatchObject({ state: "bad", hint: expect.stringContaining("NODE_OPTIONS") });
    expect(code).toBe(1);
  });

  it.skipIf(!hasPython || process.platform === "win32")(`nor in Python (POSIX)${NEEDS_PYTHON}`, async () => {
    const { code, find } = await examined({ ".venv/bin/python": `#!/bin/sh\nexec python3 -E "$@"\n` });

    expect(find("python")).toMatchObject({ state: "bad", hint: expect.stringContaining("PYTHONPATH") });
    expect(code).toBe(1);
  });

  it("reports mocks, and prints no key", async () => {
    const { code, find, stdout } = await examined(
      {
        "package.json": JSON.stringify({ devDependencies: { nock: "13" } }),
      },
      {
        OPENAI_API_KEY: "sk-very-secret",
        OPENAI_BASE_URL: "https://gateway.invalid/v1", // which nock has back in the process
      },
    );

    expect(stdout).not.toContain("sk-very-secret");
    expect(find("node mocks")?.text).toContain("nock");
    expect(find("node variable")).toMatchObject({ state: "well" });
    expect(code).toBe(0);
  });

  it("prints it as text, too", async () => {
    const { stdout, code } = await tapedeck(["doctor"], { cwd: aProject(), env: { TAPEDECK_GUARD: "off" } });

    expect(stdout).toContain("✔ node variable: its call reaches Tapedeck\n");
    expect(stdout).toMatch(/✘ node fetch: its call does not reach Tapedeck: .+\n {4}Set the client's/);
    expect(stdout).toMatch(/\nSome calls would bypass Tapedeck\.\n$/);
    expect(code).toBe(1);
  });
});
