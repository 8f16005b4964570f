import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anUpstream } from "./an-upstream.ts";
import { servingProcess } from "./a-process.ts";
import { aProject } from "./tapedeck.ts";

const CALLS = "fsync,fdatasync,link,linkat,rename,renameat,renameat2,write,writev";
const mayTrace =
  process.platform === "linux" &&
  spawnSync("strace", ["-f", "-e", "trace=none", "true"], { stdio: "ignore" }).status === 0;

const CHAT = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };

/** What became durable and what went out, in the order in which the system was asked for it. */
function stepsIn(trace: string): readonly string[] {
  return readFileSync(trace, "utf8")
    .split("\n")
    .flatMap((line) => {
      if (/f(?:data)?sync\(\d+<[^>]*\/calls\/[^>]*\.tmp>/.test(line)) return ["bytes are synced"];
      if (/link(?:at)?\(.*\.tmp".*\/calls\/[^"]*\.json"/.test(line)) return ["recording is named"];
      if (/f(?:data)?sync\(\d+<[^>]*\/calls\/openai\/[0-9a-f]{2}>/.test(line)) return ["name is synced"];
      if (/writev?\(\d+<(?:socket|TCP)/.test(line) && /Answer 1|\[DONE\]/.test(line)) return ["last bytes"];
      return [];
    });
}

/** A power cut asks for more than a kill: what the client has seen the end of must have been asked of the disk before. */
describe.skipIf(!mayTrace)(
  "a recording is on disk before its client has the end (needs strace: install it)",
  () => {
    it.each([
      ["an answer", CHAT],
      ["a stream", { ...CHAT, stream: true }],
    ])("of %s: bytes, name, folder, and then the last bytes", async (_, body) => {
      const upstream = await anUpstream();
      const cwd = aProject();
      const trace = join(cwd, "trace");
      const under = ["strace", "-D", "-f", "-qq", "-y", "-s", "4096", "-o", trace, "-e", `trace=${CALLS}`];
      const served = await servingProcess(["--mode", "record", ...upstream.options], { cwd, under });

      const reply = await fetch(`${served.ready.env["OPENAI_BASE_URL"]}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const text = await reply.text();
      await served.end();

      expect(text).toMatch(/Answer 1|\[DONE\]/);
      const steps = stepsIn(trace);
      const end = steps.lastIndexOf("last bytes");
      expect(steps.slice(0, end).filter((step) => step !== "last bytes")).toEqual([
        "bytes are synced",
        "recording is named",
        "name is synced",
      ]);
    });

    it("a folder that was deleted and made anew has its name on disk, too, also when it got its old number", async () => {
      const upstream = await anUpstream();
      const cwd = aProject();
      const trace = join(cwd, "trace");
      const under = ["strace", "-D", "-f", "-qq", "-y", "-o", trace, "-e", "trace=fsync,mkdir"];
      const served = await servingProcess(["--mode", "record", ...upstream.options], { cwd, under });
      const recordInto = async (): Promise<string> => {
        const reply = await fetch(`${served.ready.env["OPENAI_BASE_URL"]}/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(CHAT),
        });
        await reply.text();
        const [folder = ""] = readdirSync(join(cwd, ".tapedeck", "calls", "openai"));
        return join(cwd, ".tapedeck", "calls", "openai", folder);
      };

      rmSync(await recordInto(), { recursive: true });
      await recordInto();
      await served.end();

      const steps = readFileSync(trace, "utf8").split("\n");
      const made = steps.flatMap((step, at) => (/mkdir\(.*openai\/[0-9a-f]{2}".*= 0/.test(step) ? [at] : []));
      expect(made).toHaveLength(2);
      for (const at of made) expect(steps.slice(at).join("\n")).toMatch(/fsync\(\d+<[^>]*\/calls\/openai>/u);
    });
  },
);
