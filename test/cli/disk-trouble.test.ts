import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { mayMount, mountDisk, worksWith } from "../support/a-disk.ts";
import { aFolder } from "../support/a-folder.ts";
import { servingProcess } from "./a-process.ts";
import { anUpstream } from "./an-upstream.ts";
import { ask as askAll, ASKING } from "./asking.ts";
import { aProject, serving, tapedeck, type Served } from "./tapedeck.ts";

const isLinux = process.platform === "linux";
const mayTrace = isLinux && worksWith(["strace", "-f", "-e", "trace=none", "true"]);

interface CallResult {
  readonly status: number;
  readonly outcome: string;
  readonly text: string;
}

/** A call as an SDK makes it, over a connection that `agent` may keep. */
function ask({ ready }: Served, content: string, agent: Agent | false = false): Promise<CallResult> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${ready.env["OPENAI_BASE_URL"]}/chat/completions`,
      { method: "POST", headers: { "content-type": "application/json" }, agent },
      (reply) => {
        let text = "";
        reply.on("data", (chunk: Buffer) => (text += chunk.toString()));
        reply.once("end", () =>
          resolve({
            status: reply.statusCode ?? 0,
            outcome: String(reply.headers["x-tapedeck-outcome"]),
            text,
          }),
        );
      },
    );
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }));
  });
}

function recordingsIn(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((file) => /[0-9a-f]{64}(?:\.\d+)?\.json$/.test(file))
    .map((file) => join(dir, file));
}

/** Records in a process where a system call fails: the answer reaches its client, the first recording stays. Returns the messages. */
async function survived(under: readonly string[]): Promise<string> {
  const upstream = await anUpstream();
  const dir = join(aFolder(), ".tapedeck");
  const options = ["--dir", dir, "--mode", "record", ...upstream.options];
  const before = await serving(options, { cwd: aProject() });
  expect(await ask(before, "first")).toMatchObject({ status: 200, outcome: "recorded" });
  await before.end();
  const [first = ""] = recordingsIn(dir);
  const bytes = readFileSync(first);
  const served = await servingProcess(options, { cwd: aProject(), under });

  const told = await ask(served, "second ".repeat(20_000));
  const replayed = await ask(served, "first");

  expect(told).toMatchObject({ status: 200, outcome: "forwarded" });
  expect(told.text).toContain("Answer 2 to second");
  expect(replayed.outcome).toBe("replayed");
  expect(recordingsIn(dir)).toEqual([first]);
  expect(readFileSync(first)).toEqual(bytes);
  await served.end();
  expect(served.stderr()).toMatch(/warning:.* was forwarded but could not be saved/);
  return served.stderr();
}

describe.skipIf(!mayTrace)("recording where a system call fails (needs strace: install it)", () => {
  it.each([
    ["fsync,fdatasync", ""],
    ["link,linkat", ""],
    // After those of the folder above and the file: the folder in which it has its name.
    ["fsync", ":when=3"],
  ])("%s with EIO%s", async (calls, when) => {
    const strace = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", `trace=${calls}`];
    // Which call it is that fails is counted by thread.
    const under = ["env", "UV_THREADPOOL_SIZE=1", ...strace, "-e", `inject=${calls}:error=EIO${when}`];

    expect(await survived(under)).toContain("the disk reported an error");
  });
});

describe.skipIf(!isLinux)("recording with all files open (needs Linux, whose /proc has their count)", () => {
  it("forwards the answer, reports why it was not recorded, and records again when some are closed", async () => {
    const upstream = await anUpstream();
    const dir = join(aFolder(), ".tapedeck");
    const limit = 64;
    const served = await servingProcess(["--dir", dir, "--mode", "record", ...upstream.options], {
      cwd: aProject(),
      under: ["sh", "-c", `ulimit -n ${limit}; exec "$@"`, "sh"],
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    expect((await ask(served, "first", agent)).outcome).toBe("recorded");
    const [first = ""] = recordingsIn(dir);
    const bytes = readFileSync(first);

    const idle = Array.from({ length: 2 * limit }, () =>
      connect(Number(new URL(served.ready.url).port), "127.0.0.1"),
    );
    for (const socket of idle) socket.on("error", () => {});
    const openFiles = (): number => readdirSync(`/proc/${served.pid}/fd`).length;
    await expect.poll(openFiles).toBeGreaterThanOrEqual(limit - 1);
    const told = await ask(served, "second", agent);
    for (const socket of idle) socket.destroy();
    await expect.poll(openFiles).toBeLessThan(limit - 10);
    const after = await ask(served, "third", agent);

    expect([told.status, told.outcome, after.outcome]).toEqual([200, "forwarded", "recorded"]);
    expect(readFileSync(first)).toEqual(bytes);
    expect(recordingsIn(dir)).toHaveLength(2);
    await served.end();
    expect(served.stderr()).toContain("too many files are open");
  });
});

describe.skipIf(!mayMount)("a run whose recordings do not fit on the disk (needs root, to mount)", () => {
  it("exits with 1, and reports how many were lost and why", async () => {
    const disk = aFolder();
    onTestFinished(mountDisk(disk, "400k"));
    const cwd = aProject({ ...ASKING });
    const { options } = await anUpstream();
    const words = Array.from({ length: 60 }, (_, at) => `call ${at} ${"x".repeat(8000)}`);

    const record = ["--mode", "record", "--dir", join(disk, ".tapedeck"), ...options];
    const { code, stderr, stdout } = await tapedeck(["run", ...record, ...askAll(...words)], {
      cwd,
      env: { OPENAI_API_KEY: "sk-x" },
    });

    const lost = 60 - recordingsIn(disk).length;
    expect({ code, stderr, stdout }).toMatchObject({ code: 1 });
    expect(stderr).toMatch(
      new RegExp(`✘ ${lost} of 60 recordings could not be written, so the run fails\\..*the disk is full`),
    );
    expect(lost).toBeGreaterThan(10);
  });
});
