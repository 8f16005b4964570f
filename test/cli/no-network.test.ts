import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anUpstream } from "./an-upstream.ts";
import { aProject, tapedeck, useBuiltProgram } from "./tapedeck.ts";

useBuiltProgram();

const ASK = `
for (const content of process.argv.slice(2)) {
  const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
  });
  console.log(reply.status);
}
`;

/** A network of its own with nothing in it but this machine, and without a route. */
const ALONE = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
const traced = (file: string): readonly string[] => [
  "strace",
  "-f",
  "-qq",
  "-e",
  "trace=connect,sendto,sendmsg,sendmmsg",
  "-o",
  file,
];
const isPossible = (() => {
  const words = [...ALONE.slice(1), ...traced("/dev/null"), "true"];
  return process.platform === "linux" && spawnSync(ALONE[0] ?? "", words, { stdio: "ignore" }).status === 0;
})();

/** System calls that name an address of the internet that is not this machine's. */
function attemptsIn(file: string): readonly string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => /sa_family=AF_INET6?\b/.test(line))
    .filter((line) => !/inet_addr\("127\.|"::1"|"::ffff:127\./.test(line));
}

describe.skipIf(!isPossible)("without a network (needs the right to make a namespace, and strace)", () => {
  it("a strict run answers what is recorded, misses the rest, and never tries to connect to anybody", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ "ask.mjs": ASK });
    const command = ["--", process.execPath, "ask.mjs"];
    await tapedeck(["run", "--mode", "record", ...upstream.options, ...command, "a", "b"], { cwd });
    const trace = join(cwd, "trace");

    const strict = await tapedeck(["run", ...command, "a", "c", "b", "a"], {
      cwd,
      under: [...ALONE, ...traced(trace)],
      env: { OPENAI_API_KEY: "sk-of-the-user-0123456789" },
    });

    expect(strict.stdout).toBe("200\n404\n200\n200\n");
    expect(strict.code).toBe(3);
    expect(strict.stderr).toContain("3 replayed · 1 missing · 0 left this machine");
    expect(attemptsIn(trace)).toEqual([]);
    const own = readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => line.includes('inet_addr("127.0.0.1")'));
    console.log(
      `▸ strict without a network: 0 attempts to leave, ${own.length} connections to the replay server`,
    );
    expect(own.length).toBeGreaterThan(0);
  });

  it("a lenient run does not either", async () => {
    const cwd = aProject({ "ask.mjs": ASK });
    const trace = join(cwd, "trace");

    const lenient = await tapedeck(["run", "--mode", "lenient", "--", process.execPath, "ask.mjs", "a"], {
      cwd,
      under: [...ALONE, ...traced(trace)],
    });

    expect(lenient.stdout).toBe("200\n");
    expect(attemptsIn(trace)).toEqual([]);
  });

  it("a live run is seen trying: what is counted above would be noticed", async () => {
    const cwd = aProject({ "ask.mjs": ASK });
    const trace = join(cwd, "trace");

    const live = await tapedeck(
      [
        "run",
        "--mode",
        "live",
        "--upstream",
        "openai=https://192.0.2.1",
        "--",
        process.execPath,
        "ask.mjs",
        "a",
      ],
      { cwd, under: [...ALONE, ...traced(trace)] },
    );

    expect(live.stdout).not.toContain("200");
    expect(attemptsIn(trace).join("\n")).toContain('inet_addr("192.0.2.1")');
  });
});
