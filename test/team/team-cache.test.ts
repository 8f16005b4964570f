import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addressOf, readEntry } from "../../src/core/cassette/address.ts";
import { encodeRecording } from "../../src/core/cassette/codec.ts";
import type { Key } from "../../src/core/call.ts";
import { newKeyPair } from "../../src/remote/sealed/team-keys.ts";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { putForNow } from "../../src/storage/team/put-recording.ts";
import { teamLayerOf, TRUSTED } from "../../src/storage/team/team-layer.ts";
import { createTeamStore } from "../../src/storage/team/team-store.ts";
import { aRecording, bytes, sha256 } from "../support/a-recording.ts";
import { aTeam } from "./a-team.ts";

describe("a call that is not recorded here", () => {
  it("is answered from the team's cache, in strict mode too, and lies among what is this machine's", async () => {
    const team = await aTeam();
    const [made] = await team.machine({ writes: true }).ask("record", "hi");
    const other = team.machine();

    const [told] = await other.ask("strict", "hi");
    await other.close();

    expect(made?.outcome).toBe("recorded");
    expect(told).toEqual({ ...made, outcome: "replayed" });
    const entry = told?.entry ?? "";
    expect(existsSync(join(other.dir, entry))).toBe(false);
    expect(existsSync(join(other.dir, ".local/team", entry))).toBe(true);
    expect(readFileSync(join(other.dir, ".local/.gitignore"), "utf8")).toBe("*\n");
    expect(other.deck.team?.isTeams(entry)).toBe(true);
    expect(other.deck.team?.counts()).toEqual({ brought: 1, added: 0, unsent: 0 });
    expect(team.paid()).toBe(1);
  });

  it("is answered without the cache once it came from it", async () => {
    const team = await aTeam();
    const [made] = await team.machine({ writes: true }).ask("record", "hi");
    const other = team.machine();
    await other.ask("strict", "hi");
    await other.close();

    const without = other.again("without");
    const [told] = await without.ask("strict", "hi");

    expect(told).toEqual({ ...made, outcome: "replayed" });
    expect([other.deck.team?.asks, without.deck.team?.asks]).toEqual([true, false]);
  });

  it("is answered before it is on disk, and whoever looks at it waits for that", async () => {
    const team = await aTeam();
    const recording = aRecording();
    const { provider, key } = recording;
    const { entry } = addressOf(provider, key, 1);
    const { dir } = team.machine("without");
    const layerDir = teamLayerOf(dir, TRUSTED);
    let put = (): void => {};
    const later = new Promise<void>((resolve) => (put = resolve));
    const file = {
      entry,
      bytes: bytes(encodeRecording(recording, { sha256 }).text),
      blobs: new Map(),
      recording,
    };
    const said: string[] = [];
    const store = createTeamStore({
      dir,
      layerDir,
      warn: (message) => void said.push(message),
      folder: createFolderStore(dir),
      layer: createFolderStore(layerDir),
      access: { bring: async () => [file], keep: async () => later.then(() => putForNow(layerDir, file)) },
    });
    const replayed = () => store.replay(provider, key, ([first]) => first?.entry);

    await store.settle(provider, key);
    const [before, standing] = [await replayed(), store.standing(entry)];
    const looks = Promise.all([store.list(), store.read(entry)]);
    const isThere = existsSync(join(layerDir, entry));
    put();

    expect(before).toEqual(recording.reply);
    expect([isThere, store.isTeams(entry)]).toEqual([false, true]);
    expect(await looks).toEqual([[addressOf(provider, key, 1)], recording]);
    expect(existsSync(join(layerDir, entry))).toBe(true);
    expect(store.standing(entry)).toBe(standing);
    expect(await replayed()).toEqual(recording.reply);
    writeFileSync(join(layerDir, entry), "edited");
    expect(await replayed()).toEqual(recording.reply);
    expect(said).toEqual([expect.stringContaining("cannot be read")]);
  });

  it("is fetched anew where what came before was damaged here, and is a miss without the cache", async () => {
    const team = await aTeam();
    const [made] = await team.machine({ writes: true }).ask("record", "hi");
    const other = team.machine();
    const [before] = await other.ask("strict", "hi");
    await other.close();
    const file = join(other.dir, ".local/team", before?.entry ?? "");
    const cutOff = (): void => truncateSync(file, 0);

    cutOff();
    const again = other.again();
    const [anew] = await again.ask("strict", "hi");
    await again.close();
    const kept = readFileSync(file, "utf8");
    cutOff();
    const without = other.again("without");
    const told = await without.ask("strict", "hi", "hi");

    expect(anew).toEqual({ ...made, outcome: "replayed" });
    expect(again.warnings).toEqual([
      expect.stringMatching(/fetched again\. The recording .* cannot be read/),
    ]);
    expect(kept).toContain('"recordedAt"');
    expect(told.map(({ outcome }) => outcome)).toEqual(["miss", "miss"]);
    expect(without.warnings).toHaveLength(1);
    expect(existsSync(file)).toBe(false);
  });

  it("is a miss without the cache, and nothing of the cache is here", async () => {
    const team = await aTeam();
    await team.machine({ writes: true }).ask("record", "hi");
    const other = team.machine("without");

    const [told] = await other.ask("strict", "hi");

    expect(told?.outcome).toBe("miss");
    expect(other.deck.team).toBeUndefined();
    expect(existsSync(join(other.dir, ".local/team"))).toBe(false);
  });

  it("brings its takes in their order", async () => {
    const team = await aTeam();
    const made = await team.machine({ writes: true }).ask("record", "hi", "hi", "hi");

    const told = await team.machine().ask("strict", "hi", "hi", "hi");

    expect(told.map(({ text }) => text)).toEqual(made.map(({ text }) => text));
    expect(new Set(told.map(({ text }) => text)).size).toBe(3);
  });

  it("brings large bodies along, and is not there without them", async () => {
    const team = await aTeam();
    const large = { data: randomBytes(100_000).toString("base64") };
    const recording = aRecording({ reply: { body: bytes(JSON.stringify(large)) } });
    const maker = team.machine({ writes: true });
    const { entry, provider, key } = await maker.deck.store.save(recording);
    const other = team.machine();

    await other.deck.store.settle(provider, key);

    expect(await other.deck.store.read(entry)).toEqual(recording);
    rmSync(join(team.cache, "trusted/blobs"), { recursive: true });
    const late = team.machine();
    await late.deck.store.settle(provider, key);
    expect(late.deck.store.takes(provider, key)).toEqual([]);
    expect(late.warnings).toEqual([expect.stringContaining("there is no such file")]);
  });

  it("is found under the rules under which it was recorded", async () => {
    const team = await aTeam();
    const rule = { normalise: [{ ignore: "/messages" }] };
    const maker = team.machine({ writes: true });
    writeFileSync(join(maker.dir, "../tapedeck.jsonc"), JSON.stringify(rule));
    const [made] = await maker.ask("record", "hi");
    const other = team.machine();
    writeFileSync(join(other.dir, "../tapedeck.jsonc"), JSON.stringify(rule));

    const [told] = await other.ask("strict", "something else");

    expect(made?.outcome).toBe("recorded");
    expect(told).toEqual({ ...made, outcome: "replayed" });
  });
});

it("a call that was missed before the team recorded it is fetched by who looks for it again", async () => {
  const team = await aTeam();
  const machine = team.machine();
  const [missed] = await machine.ask("strict", "hi");
  const [made] = await team.machine({ writes: true }).ask("record", "hi");
  const changed: (string | undefined)[] = [];
  machine.deck.store.watch(({ entry }) => void changed.push(entry));
  const [provider, key] = keyOf(made?.entry ?? "");

  await machine.deck.store.settle(provider, key);
  const found = machine.deck.store.takes(provider, key);

  expect(missed?.outcome).toBe("miss");
  expect(found.map(({ entry }) => entry)).toEqual([made?.entry]);
  expect(changed).toContain(made?.entry);
});

function keyOf(entry: string): readonly [provider: string, key: Key] {
  const address = readEntry(entry);
  if ("wrong" in address) throw new Error(`${entry} is no entry`);
  return [address.provider, address.key];
}

it("nothing is fetched for who wants what is here looked through", async () => {
  const team = await aTeam();
  const machine = team.machine();

  await machine.deck.store.settle("", `sha256:${"0".repeat(64)}`);

  expect(machine.warnings).toEqual([]);
  expect(machine.deck.team?.trouble()).toBeUndefined();
});

describe("what is recorded here", () => {
  it("answers before what the team has, and stays where it is", async () => {
    const team = await aTeam();
    const own = team.machine("without");
    const [first] = await own.ask("record", "hi");
    await own.close();
    await team.machine({ writes: true }).ask("record", "hi", "hi");

    const told = await own.again().ask("strict", "hi", "hi");

    expect(told.map(({ text }) => text)).toEqual([first?.text, first?.text]);
    expect(existsSync(join(own.dir, ".local/team"))).toBe(false);
  });

  it("is not sent by who only reads", async () => {
    const team = await aTeam();
    await team.machine().ask("record", "hi");

    const [told] = await team.machine().ask("strict", "hi");

    expect(told?.outcome).toBe("miss");
  });

  it("keeps the team's other takes where one of them is made anew", async () => {
    const team = await aTeam();
    const [, second] = await team.machine({ writes: true }).ask("record", "hi", "hi");
    const other = team.machine();
    await other.ask("strict", "hi");

    const [anew] = await other.ask("refresh", "hi");
    const told = await other.ask("strict", "hi", "hi");

    expect(anew?.outcome).toBe("recorded");
    expect(told.map(({ text }) => text)).toEqual([anew?.text, second?.text]);
  });
});

describe("scopes and keys", () => {
  it("never let a trusted run read what an untrusted one wrote, on the same machine either", async () => {
    const team = await aTeam();
    const untrusted = team.machine({ writes: true, scope: "pr-7" });
    const [poison] = await untrusted.ask("record", "hi");
    await untrusted.close();
    const reader = team.machine({ scope: "pr-7" });
    await reader.ask("strict", "hi");
    await reader.close();

    const elsewhere = await team.machine().ask("strict", "hi");
    const here = await reader.again().ask("strict", "hi");
    const without = await reader.again("without").ask("strict", "hi");

    expect(poison?.outcome).toBe("recorded");
    expect([...elsewhere, ...here, ...without].map(({ outcome }) => outcome)).toEqual([
      "miss",
      "miss",
      "miss",
    ]);
  });

  it("let an untrusted run read what is trusted", async () => {
    const team = await aTeam();
    const [made] = await team.machine({ writes: true }).ask("record", "hi");

    const [told] = await team.machine({ scope: "pr-7" }).ask("strict", "hi");

    expect(told?.text).toBe(made?.text);
  });

  it("make a miss that says so of what another key signed", async () => {
    const team = await aTeam();
    const stranger = newKeyPair();
    await team.machine({ writes: true, key: stranger.privateKey }).ask("record", "hi");
    const other = team.machine();

    const [told] = await other.ask("strict", "hi");

    expect(told?.outcome).toBe("miss");
    expect(other.warnings).toEqual([
      expect.stringContaining("is signed with a key that is not trusted here"),
    ]);
  });

  it("let who has the public half read and not write", async () => {
    const team = await aTeam();
    const { privateKey, publicKey } = newKeyPair();
    const [made] = await team.machine({ writes: true, key: privateKey }).ask("record", "hi");

    const [told] = await team.machine({ key: publicKey }).ask("strict", "hi");

    expect(told?.text).toBe(made?.text);
    expect(() => team.settings({ key: publicKey, writes: true })).toThrow("the key at hand only reads");
  });
});
