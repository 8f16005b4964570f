import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTapedeckError } from "../../src/core/base/errors.ts";
import { openTransfer, pull, push, type OpenTransfer } from "../../src/team/transfer.ts";
import { aTeam, type Machine, type Team } from "./a-team.ts";

async function transferOf(
  team: Team,
  { dir }: Machine,
  key = team.key,
  signal?: AbortSignal,
): Promise<OpenTransfer> {
  const transfer = await openTransfer(dir, team.settings({ key }), signal);
  onTestFinished(() => transfer.close());
  return transfer;
}

const pushFrom = async (team: Team, machine: Machine) =>
  push(await transferOf(team, machine), (recording) => machine.deck.admit(recording));

describe("push and pull", () => {
  it("move all calls once, as their files are", async () => {
    const team = await aTeam();
    const one = team.machine("without");
    const answers = await one.ask("record", "twice", "twice", "once");
    const two = team.machine("without");

    const first = await pushFrom(team, one);
    const again = await pushFrom(team, one);
    const pulled = await pull(await transferOf(team, two, team.publicKey));
    const pulledAgain = await pull(await transferOf(team, two, team.publicKey));

    expect([first.added.length, first.existing]).toEqual([3, 0]);
    expect(again).toEqual({ added: [], existing: 3, newer: [], kept: [] });
    expect([pulled.downloaded, pulled.existing]).toEqual([first.added, 0]);
    expect(pulledAgain).toEqual({ downloaded: [], existing: 2, refused: [] });
    for (const entry of first.added)
      expect(readFileSync(join(two.dir, ".local/team", entry))).toEqual(readFileSync(join(one.dir, entry)));
    expect(await two.again("without").ask("strict", "twice", "twice", "once")).toEqual(
      answers.map(({ entry, text }) => ({ entry, text, outcome: "replayed" })),
    );
  });

  it("replace older recordings, in the cache and among downloads, and leave newer ones", async () => {
    const team = await aTeam();
    const [one, two, reader] = [team.machine("without"), team.machine("without"), team.machine("without")];
    await one.ask("record", "hi", "hi");
    await pushFrom(team, one);
    await pull(await transferOf(team, reader, team.publicKey));
    const [newer] = await two.ask("record", "hi");

    const replaced = await pushFrom(team, two);
    const left = await pushFrom(team, one);
    const pulled = await pull(await transferOf(team, reader, team.publicKey));
    const answers = await reader.again("without").ask("strict", "hi", "hi");

    expect(replaced.added).toHaveLength(1);
    expect([left.added, left.newer.length]).toEqual([[], 2]);
    expect(pulled.downloaded).toHaveLength(1);
    expect(answers.map(({ text }) => text)).toEqual([newer?.text, newer?.text]);
  });

  it("leave recordings of the workspace unchanged", async () => {
    const team = await aTeam();
    const [one, two] = [team.machine("without"), team.machine("without")];
    await one.ask("record", "hi");
    const [own] = await two.ask("record", "hi");
    await pushFrom(team, one);

    const { downloaded, existing } = await pull(await transferOf(team, two));

    expect([downloaded, existing]).toEqual([[], 1]);
    expect((await two.again("without").ask("strict", "hi"))[0]?.text).toBe(own?.text);
  });

  it("need the private key to push", async () => {
    const team = await aTeam();
    const machine = team.machine("without");
    await machine.ask("record", "hi");

    await expect(push(await transferOf(team, machine, team.publicKey), async (one) => one)).rejects.toThrow(
      "TAPEDECK_REMOTE_KEY has no private key",
    );
    expect(readdirSync(team.cache)).toEqual([]);
  });

  it("upload nothing that the project calls a secret, and everything else", async () => {
    const team = await aTeam();
    const machine = team.machine("without");
    await machine.ask("record", "secret", "plain");

    const { added, kept } = await push(await transferOf(team, machine), async (recording) => {
      if (!Buffer.from(recording.request.body).includes("secret")) return recording;
      throw createTapedeckError("tapedeck_refused", "It holds a secret.", { hint: "Take it out." });
    });

    expect(added).toHaveLength(1);
    expect(kept).toEqual([{ entry: expect.any(String), why: "It holds a secret. Take it out." }]);
  });

  it("skip refused recordings, and transfer the rest", async () => {
    const team = await aTeam();
    const one = team.machine("without");
    await one.ask("record", "hi", "you");
    await pushFrom(team, one);
    const names = readdirSync(team.cache, { recursive: true, encoding: "utf8" });
    const path = names.find((name) => name.endsWith(".takes")) ?? "";
    writeFileSync(join(team.cache, path), "garbage");

    const { downloaded, refused } = await pull(
      await transferOf(team, team.machine("without"), team.publicKey),
    );

    expect(downloaded).toHaveLength(1);
    expect(refused).toEqual([`${path} in the team cache is not signed. It was not used.`]);
  });

  it("end with the reason if they are canceled", async () => {
    const team = await aTeam();
    const reason = new Error("canceled");

    await expect(
      pull(await transferOf(team, team.machine("without"), team.key, AbortSignal.abort(reason))),
    ).rejects.toBe(reason);
  });
});
