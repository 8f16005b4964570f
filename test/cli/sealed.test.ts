import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { anUpstream } from "./an-upstream.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

const isLinux = process.platform === "linux";
const tried = isLinux
  ? spawnSync("unshare", ["--user", "--net", "--map-root-user", "ip", "link"])
  : undefined;
const needs = tried?.status === 0 ? "" : " (needs Linux, unshare and ip, and leave to make namespaces)";
const withTool = (tool: string): boolean => spawnSync(tool, ["--version"]).status === 0;

const CALL = `
const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "one" }] }) });
console.log(reply.status, (await reply.json()).choices?.[0].message.content);
`;

/** Programs that print "out" if they reached a server of this machine outside the run. */
const OUT: Readonly<Record<string, (origin: string) => readonly string[]>> = {
  node: (origin) => [
    process.execPath,
    "-e",
    `fetch("${origin}/out").then(() => console.log("out"), (error) => console.log(error.cause.code))`,
  ],
  python3: (origin) => [
    "python3",
    "-c",
    `import urllib.request\ntry: urllib.request.urlopen("${origin}/out")\nexcept Exception as error: print("out" if hasattr(error, "code") else error)`,
  ],
  curl: (origin) => ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", `${origin}/out`],
};

describe.skipIf(needs !== "")(`a sealed run${needs}`, () => {
  it("records and replays, by the server that stays outside", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ "ask.mjs": CALL });
    const ask = ["--", process.execPath, "ask.mjs"];

    const recorded = await tapedeck(["run", "--sealed", "--mode", "record", ...upstream.options, ...ask], {
      cwd,
    });
    const replayed = await tapedeck(["run", "--sealed", ...ask], { cwd });

    expect(recorded.stdout).toBe("200 Answer 1 to one\n");
    expect(replayed.stdout).toBe(recorded.stdout);
    expect(replayed.stderr).toContain("1 replayed · 0 missing · 0 sent");
    expect(replayed.stderr).toContain("Sealed: the command had no network except Tapedeck's server.");
    expect([recorded.code, replayed.code]).toEqual([0, 0]);
  });

  it.each(Object.keys(OUT).filter(withTool))("lets nothing out, asked by %s", async (tool) => {
    const outside = await anUpstream();
    const cwd = aProject({});
    const ask = ["--", ...(OUT[tool]?.(outside.origin) ?? [])];

    const sealed = await tapedeck(["run", "--sealed", ...ask], { cwd });
    expect(outside.requests).toEqual([]);
    await tapedeck(["run", ...ask], { cwd });

    expect(sealed.stdout).not.toContain("out");
    // The same command gets there where nothing holds it.
    expect(outside.requests).toEqual(["GET /out"]);
  });

  it("has no network but its own, in which programs of the run reach each other", async () => {
    const cwd = aProject({
      "own.mjs": `
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { networkInterfaces, userInfo } from "node:os";
console.log(Object.keys(networkInterfaces()).join(), readFileSync("/proc/net/route", "utf8").trim().split("\\n").length, userInfo().uid);
const server = createServer((_, reply) => reply.end("own")).listen(0, "127.0.0.1", async () => {
  console.log(await (await fetch("http://127.0.0.1:" + server.address().port)).text());
  server.close();
});`,
    });

    const { stdout } = await tapedeck(["run", "--sealed", "--", process.execPath, "own.mjs"], { cwd });

    expect(stdout).toBe(`lo 1 ${process.getuid?.()}\nown\n`);
  });

  it("returns the command's exit code, and reports in JSON that it was sealed", async () => {
    const cwd = aProject({});
    const failing = ["--", process.execPath, "-e", "process.exit(7)"];

    const { code, stdout } = await tapedeck(["run", "--sealed", "--json", ...failing], { cwd });

    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({ command: 7, sealed: true });
  });

  it("is not created, and nothing runs, when the system denies it", async () => {
    const cwd = aProject({ unshare: "#!/bin/sh\necho 'unshare failed: not permitted' >&2\nexit 1\n" });
    spawnSync("chmod", ["+x", "unshare"], { cwd });
    const before = process.env["PATH"];
    process.env["PATH"] = `${cwd}:${before}`;

    const { code, stdout, stderr } = await tapedeck(["run", "--sealed", "--", "echo", "ran"], {
      cwd,
    }).finally(() => (process.env["PATH"] = before));

    expect(stderr).toContain(
      "This run cannot be sealed: unshare failed: not permitted. Nothing was started.",
    );
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });
});

it.skipIf(isLinux)("a run is not sealed, and nothing runs, but on Linux", async () => {
  const { code, stderr } = await tapedeck(["run", "--sealed", "--", "echo", "ran"], { cwd: aProject({}) });

  expect(stderr).toContain("only Linux can do it");
  expect(code).toBe(1);
});
