import { execFileSync, spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { tapedeckProcess } from "../cli/a-process.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, type Finished } from "../cli/tapedeck.ts";

interface Language {
  /** A command that succeeds if it is installed. */
  readonly installed: readonly string[];
  readonly build?: readonly string[];
  readonly program: readonly string[];
  /** Whether it has TLS, so that its calls to the provider's own address can arrive by the proxy. */
  readonly isProxied: boolean;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  Java: {
    installed: ["javac", "-version"],
    build: ["javac", "Ask.java"],
    program: ["java", "-cp", ".", "Ask"],
    isProxied: true,
  },
  Rust: {
    installed: ["rustc", "--version"],
    build: ["rustc", "-o", "ask", "ask.rs"],
    program: ["./ask"],
    isProxied: false,
  },
  Go: {
    installed: ["go", "version"],
    build: ["go", "build", "-o", "ask", "ask.go"],
    program: ["./ask"],
    isProxied: true,
  },
  PHP: {
    installed: ["php", "-r", "curl_version();"],
    program: ["php", "ask.php"],
    isProxied: true,
  },
};

function execute([command = "", ...args]: readonly string[], cwd?: string): void {
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

function isInstalled([command = "", ...args]: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}

function linesOf({ stdout }: Finished): readonly string[] {
  return stdout.trimEnd().split("\n").sort();
}

const DIRECT = ["--"];
const BY_PROXY = ["--proxy", "--", "sh", "-c", 'unset OPENAI_BASE_URL; exec "$@"', "sh"];

/** `clients.test.ts` tries the SDKs, which must be installed from registries. */
describe.each(Object.entries(LANGUAGES))("a program in %s", (name, language) => {
  const { installed, build, program, isProxied } = language;

  it.skipIf(!isInstalled(installed))(
    `records its calls, replays them without a provider, and gets one miss with its cause and test (needs ${name}: install it)`,
    async () => {
      const { requests, options } = await anUpstream();
      const cwd = aProject();
      cpSync(join(rootDir, "test", "fixtures", "programs"), cwd, { recursive: true });
      if (build !== undefined) execute(build, cwd);
      const run = async (words: readonly string[], prompts: readonly string[]): Promise<Finished> =>
        tapedeckProcess(["run", ...words, ...program, ...prompts], {
          cwd,
          env: { OPENAI_API_KEY: "key-of-this-test" },
        });
      const prompts = ["hello", "say bye", "stream a word"];

      const recorded = await run(["--mode", "record", ...options, "--"], prompts);
      const sent = requests.length;
      const replayed: Finished[] = [];
      for (const way of isProxied ? [DIRECT, BY_PROXY] : [DIRECT]) replayed.push(await run(way, prompts));
      const missed = await run(DIRECT, ["hello there"]);

      expect(linesOf(recorded).join("\n")).toMatch(
        /^hello: 200 .* to hello.*\nsay bye: 200 .*\nstream.*: 200 /,
      );
      expect([recorded.code, sent]).toEqual([0, 3]);
      for (const one of replayed) expect(linesOf(one)).toEqual(linesOf(recorded));
      expect(replayed.map(({ code }) => code)).toEqual(replayed.map(() => 0));
      expect([missed.code, requests.length]).toEqual([3, sent]);
      expect(missed.stdout).toMatch(
        /^hello there: 404 .*No recording for this gpt-4o-mini call.*"there.*" added/,
      );
      expect(missed.stderr).toMatch(/0 replayed · 1 missing · 0 sent\n✘ ask\.\w+:\d+ {2}asks\n/i);
    },
  );
});
