import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anUpstream } from "./an-upstream.ts";
import { ask, ASKING, statusesIn } from "./asking.ts";
import { casesOf } from "../support/cases.ts";
import { itLong } from "../support/long.ts";
import { tapedeckProcess } from "./a-process.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/** Runs a command in a separate network that has only the loopback interface and no route. */
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

/** Writes down which modules of Node its process had loaded when it ended, beside itself. */
const PROBE = `process.once("exit", () => {
  const all = process.moduleLoadList;
  const own = /[\\\\/]cli\\.js$/.test(process.argv[1] ?? "") ? "program" : "other-" + process.pid;
  require("node:fs").writeFileSync(require("node:path").join(__dirname, own + ".loaded"), all.join("\\n"));
});`;

const withProbe = (cwd: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--require ${JSON.stringify(join(cwd, "probe.cjs"))}`,
  NODE_V8_COVERAGE: join(cwd, "scripts"),
});

/** Returns the files that the command line loaded, from V8's coverage. */
function scriptsIn(cwd: string): readonly string[] {
  const loaded = readdirSync(join(cwd, "scripts")).map((name) => {
    const { result } = JSON.parse(readFileSync(join(cwd, "scripts", name), "utf8")) as {
      readonly result: readonly { readonly url: string }[];
    };
    return result.map(({ url }) => url);
  });
  return loaded.find((urls) => urls.some((url) => url.endsWith("/dist/cli.js"))) ?? [];
}

/** The modules that importing `node:http` loads: on Node 26 also `http2` and `tls`. */
const OF_HTTP = execFileSync(process.execPath, [
  "--input-type=module",
  "--eval",
  'import "node:http"; console.log(process.moduleLoadList.join("\\n"));',
])
  .toString()
  .split("\n");

/** Returns the loaded files that can reach another machine. */
function connectingIn(cwd: string): readonly string[] {
  const loaded = readFileSync(join(cwd, "program.loaded"), "utf8").split("\n");
  expect(loaded).toContain("NativeModule http");
  const modules = loaded.filter((line) => !OF_HTTP.includes(line));
  const found = [
    ...modules.map((line) => /^NativeModule (https|http2|tls)$/.exec(line)),
    // The agent of proxies comes as its package's `dist`.
    ...scriptsIn(cwd).map((url) => /\/dist\/cli\/(connect|dist|serve-proxy)-[\w-]{8}\.c?js$/.exec(url)),
  ];
  return found.flatMap((one) => one?.[1] ?? []).sort();
}

describe("the program as it ships", () => {
  const modes = [
    ["strict", []],
    ["lenient", []],
    ["live", ["connect", "https", ...(OF_HTTP.includes("NativeModule tls") ? [] : ["tls"])]],
  ] as const;
  it.each(casesOf({ quick: modes.slice(0, 1), long: [...modes] }))(
    "in %s mode loads these modules that can connect: %j",
    async (mode, expected) => {
      const upstream = await anUpstream();
      const cwd = aProject({ ...ASKING, "probe.cjs": PROBE });

      const ended = await tapedeckProcess(["run", "--mode", mode, ...upstream.options, ...ask("a")], {
        cwd,
        env: withProbe(cwd),
      });

      expect(statusesIn(ended.stdout)).toEqual([mode === "strict" ? "404" : "200"]);
      expect(connectingIn(cwd)).toEqual(expected);
    },
  );
});

describe.skipIf(!isPossible)("without a network (needs root on Linux, and strace: install it)", () => {
  it("a strict run answers what is recorded, misses the rest, and never tries to connect to anybody", async () => {
    const upstream = await anUpstream();
    const cwd = aProject(ASKING);
    await tapedeck(["run", "--mode", "record", ...upstream.options, ...ask("a", "b")], { cwd });
    const trace = join(cwd, "trace");

    const strict = await tapedeckProcess(["run", ...ask("a", "c", "b", "a")], {
      cwd,
      under: [...ALONE, ...traced(trace)],
      env: { OPENAI_API_KEY: "sk-of-the-user-0123456789" },
    });

    expect(statusesIn(strict.stdout)).toEqual(["200", "404", "200", "200"]);
    expect(strict.code).toBe(3);
    expect(strict.stderr).toContain("3 replayed · 1 missing · 0 sent");
    expect(attemptsIn(trace)).toEqual([]);
    const own = readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => line.includes('inet_addr("127.0.0.1")'));
    console.log(
      `▸ strict without a network: 0 attempts to leave, ${own.length} connections to the replay server`,
    );
    expect(own.length).toBeGreaterThan(0);
  });

  itLong("a lenient run does not either", async () => {
    const cwd = aProject(ASKING);
    const trace = join(cwd, "trace");

    const lenient = await tapedeckProcess(["run", "--mode", "lenient", ...ask("a")], {
      cwd,
      under: [...ALONE, ...traced(trace)],
    });

    expect(statusesIn(lenient.stdout)).toEqual(["200"]);
    expect(attemptsIn(trace)).toEqual([]);
  });

  itLong("a live run is seen trying: what is counted above would be noticed", async () => {
    const cwd = aProject(ASKING);
    const trace = join(cwd, "trace");

    const live = await tapedeckProcess(
      ["run", "--mode", "live", "--upstream", "openai=https://192.0.2.1", ...ask("a")],
      { cwd, under: [...ALONE, ...traced(trace)] },
    );

    expect(statusesIn(live.stdout)).not.toContain("200");
    expect(attemptsIn(trace).join("\n")).toContain('inet_addr("192.0.2.1")');
  });
});
