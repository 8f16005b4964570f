import { createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { withTape, type TapeOptions } from "../../src/testing/tape.ts";
import { aFolder } from "../support/a-folder.ts";
import { aTeam, type Team } from "../team/a-team.ts";

const TEST = { file: "a.test.ts", name: ["asks"], runner: "vitest" };

interface Choice {
  readonly message: { readonly content: string };
}

/** Returns the answer to a test with a fixture. */
async function answerIn(team: Team, options: TapeOptions, fails = false): Promise<string> {
  const upstreams = { openai: team.upstream.origin };
  let text = "";
  await withTape(TEST, { upstreams, beforePaidCall: async () => undefined, ...options }, async (tape) => {
    const reply = await tape.fetch(`${team.upstream.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-test" },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] }),
    });
    const said = (await reply.json()) as { readonly choices?: readonly Choice[] };
    text = said.choices?.[0]?.message.content ?? "";
    if (fails) throw new Error("expected another answer");
  });
  return text;
}

/** The answer to a call that the cache has. */
async function recordedIn(team: Team): Promise<string | undefined> {
  const machine = team.machine({ writes: true });
  const [made] = await machine.ask("record", "hi");
  await machine.close();
  return made?.text;
}

function aDir(): string {
  return `${aFolder()}/.tapedeck`;
}

function named(team: Team, more: Readonly<Record<string, string>> = {}): void {
  vi.stubEnv("TAPEDECK_REMOTE", team.cache);
  vi.stubEnv("TAPEDECK_REMOTE_KEY", team.key);
  for (const [name, value] of Object.entries(more)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

it("a fixture's call that is not recorded here is answered from the cache that the environment names, and later without it", async () => {
  const team = await aTeam();
  const made = await recordedIn(team);
  const dir = aDir();
  named(team);

  const asked = await answerIn(team, { dir });
  vi.unstubAllEnvs();
  const again = await answerIn(team, { dir });

  expect([asked, again]).toEqual([made, made]);
  expect(team.paid()).toBe(1);
});

it("a fixture gets a cache as an option, and none without the team option", async () => {
  const team = await aTeam();
  const made = await recordedIn(team);
  const dir = aDir();

  expect(await answerIn(team, { dir, remote: team.settings() })).toBe(made);

  await expect(answerIn(team, { dir, team: false })).rejects.toThrow(/[Nn]o recording/);
});

it("a fixture's recordings are uploaded if configured, once its test passed", async () => {
  const team = await aTeam();
  named(team, { TAPEDECK_REMOTE_WRITE: "1" });

  await expect(answerIn(team, { dir: aDir(), mode: "record" }, true)).rejects.toThrow("another answer");
  const [lost] = await team.machine().ask("strict", "hi");
  const recorded = await answerIn(team, { dir: aDir(), mode: "record" });
  const [told] = await team.machine().ask("strict", "hi");

  expect(lost?.outcome).toBe("miss");
  expect(told?.text).toBe(recorded);
});

it("a cache that one fixture found dead is not asked by the next ones", async () => {
  const team = await aTeam();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  named(team, { TAPEDECK_REMOTE: `redis://127.0.0.1:${(server.address() as AddressInfo).port}/0` });
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue(undefined);

  await expect(answerIn(team, { dir: aDir() })).rejects.toThrow(/[Nn]o recording/);
  const before = connections;
  await expect(answerIn(team, { dir: aDir() })).rejects.toThrow(/[Nn]o recording/);

  expect([before > 0, connections - before]).toEqual([true, 0]);
  expect(warned.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining("could not be reached")]);
});
