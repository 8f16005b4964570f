import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fillDisk, makeReadOnly, mayMount, mountDisk, worksWith } from "../support/a-disk.ts";
import { aFolder } from "../support/a-folder.ts";
import { servingProcess, tapedeckProcess } from "./a-process.ts";
import { anUpstream } from "./an-upstream.ts";
import { ASKING } from "./asking.ts";
import { aProject, serving, tapedeck, type Served } from "./tapedeck.ts";

const isLinux = process.platform === "linux";
const mayTrace = isLinux && worksWith(["strace", "-f", "-e", "trace=none", "true"]);
const hasGit = worksWith(["git", "--version"]);

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

interface Trouble {
  readonly dir: string;
  readonly under?: readonly string[];
  /** Begins after the first recording. */
  readonly begin: () => void;
}

/** Records a call, then causes trouble: the next answer reaches its client, the first recording stays. Returns the messages. */
async function survived({ dir, under, begin }: Trouble): Promise<string> {
  const upstream = await anUpstream();
  const options = ["--dir", dir, "--mode", "record", ...upstream.options];
  const before = await serving(options, { cwd: aProject() });
  expect(await ask(before, "first")).toMatchObject({ status: 200, outcome: "recorded" });
  await before.end();
  const [first = ""] = recordingsIn(dir);
  const bytes = readFileSync(first);
  const served = await (under === undefined
    ? serving(options, { cwd: aProject() })
    : servingProcess(options, { cwd: aProject(), under }));
  begin();

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

function aDisk(size: string): string {
  const disk = aFolder();
  onTestFinished(mountDisk(disk, size));
  return disk;
}

describe.skipIf(!mayMount)("recording where the disk refuses (needs root, to mount)", () => {
  it("because it is full", async () => {
    const disk = aDisk("200k");
    const dir = join(disk, ".tapedeck");

    expect(await survived({ dir, begin: () => fillDisk(join(disk, "filler")) })).toContain(
      "the disk is full",
    );
  });

  it("because it became read-only", async () => {
    const disk = aDisk("4m");

    expect(await survived({ dir: join(disk, ".tapedeck"), begin: () => makeReadOnly(disk) })).toContain(
      "read-only file system",
    );
  });
});

describe.skipIf(!mayTrace)("recording where a system call fails (needs strace: install it)", () => {
  it.each([
    ["fsync,fdatasync", ""],
    ["link,linkat", ""],
    // After those of the folder above and the file: the folder in which it has its name.
    ["fsync", ":when=3"],
  ])("%s with EIO%s", async (calls, when) => {
    const under = [
      // Which call it is that fails is counted by thread.
      "env",
      "UV_THREADPOOL_SIZE=1",
      "strace",
      "-D",
      "-f",
      "-qq",
      "-o",
      "/dev/null",
      "-e",
      `trace=${calls}`,
      "-e",
      `inject=${calls}:error=EIO${when}`,
    ];

    const told = await survived({ dir: join(aFolder(), ".tapedeck"), under, begin: () => {} });

    expect(told).toContain("the disk reported an error");
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

describe.skipIf(!hasGit)("a folder that git changes under a running server (needs git: install)", () => {
  it("is read as it is at every call, and comes back when a branch has none", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ "readme.txt": "x" });
    const git = (...words: string[]): void =>
      void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...words], {
        cwd,
        stdio: "ignore",
      });
    git("init", "-b", "bare");
    git("add", "readme.txt");
    git("commit", "-m", "nothing recorded");
    const served = await serving(["--mode", "record", ...upstream.options], { cwd });
    const strict = await serving([], { cwd });
    for (const branch of ["one", "two"]) {
      git("checkout", "-b", branch, "bare");
      expect((await ask(served, `in ${branch}`)).outcome).toBe("recorded");
      const [file = ""] = recordingsIn(join(cwd, ".tapedeck"));
      writeFileSync(join(cwd, "both"), readFileSync(file));
      expect((await ask(served, "in both")).outcome).toBe("recorded");
      git("add", "-A");
      git("commit", "-m", branch);
    }

    for (let round = 0; round < 10; round += 1) {
      for (const [branch, other] of [
        ["one", "two"],
        ["two", "one"],
      ] as const) {
        git("checkout", branch);
        const [own, both, foreign] = [
          await ask(strict, `in ${branch}`),
          await ask(strict, "in both"),
          await ask(strict, `in ${other}`),
        ];
        expect([own.outcome, foreign.outcome]).toEqual(["replayed", "miss"]);
        expect(both.text).toContain(branch === "one" ? "Answer 2 to" : "Answer 4 to");
      }
    }
    git("checkout", "bare");
    expect((await ask(strict, "in one")).outcome).toBe("miss");
    expect((await ask(served, "in one")).outcome).toBe("recorded");
    expect((await ask(strict, "in one")).outcome).toBe("replayed");
  });

  it("is written to its place, also when it was moved away or deleted", async () => {
    const upstream = await anUpstream();
    const cwd = aProject();
    const dir = join(cwd, ".tapedeck");
    const served = await serving(["--mode", "record", ...upstream.options], { cwd });
    await ask(served, "first");

    renameSync(dir, join(cwd, "elsewhere"));
    const moved = await ask(served, "first");
    rmSync(dir, { recursive: true });
    const deleted = await ask(served, "second");

    expect([moved.outcome, deleted.outcome]).toEqual(["recorded", "recorded"]);
    expect(recordingsIn(join(cwd, "elsewhere"))).toHaveLength(1);
    expect(recordingsIn(dir)).toHaveLength(1);
  });
});

describe.skipIf(!mayMount)("a run whose recordings do not fit on the disk (needs root, to mount)", () => {
  it("exits with 1, and reports how many were lost and why", async () => {
    const disk = aDisk("400k");
    const cwd = aProject({ ...ASKING });
    const { options } = await anUpstream();
    const words = Array.from({ length: 60 }, (_, at) => `call ${at} ${"x".repeat(8000)}`);

    const { code, stderr, stdout } = await tapedeck(
      [
        "run",
        "--mode",
        "record",
        "--dir",
        join(disk, ".tapedeck"),
        ...options,
        "--",
        "node",
        "ask.mjs",
        ...words,
      ],
      { cwd, env: { OPENAI_API_KEY: "sk-x" } },
    );

    const lost = 60 - recordingsIn(disk).length;
    expect({ code, stderr, stdout }).toMatchObject({ code: 1 });
    expect(stderr).toMatch(
      new RegExp(`✘ ${lost} of 60 recordings could not be written, so the run fails\\..*the disk is full`),
    );
    expect(lost).toBeGreaterThan(10);
  });
});

it.runIf(isLinux)("a run without a place for temporary files names the variable for one", async () => {
  const place = { cwd: aProject(), env: { TMPDIR: "/dev/null" } };

  const { code, stderr } = await tapedeckProcess(["run", "--", "true"], place);

  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^error: No temporary folder can be created in \/dev\/null \(ENOTDIR\)\.\nSet TMPDIR to /m,
  );
});
