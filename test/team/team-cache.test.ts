import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openObject, signObject } from "../../src/remote/signed-object.ts";
import { createKeyPair, readTeamKeys } from "../../src/remote/team-keys.ts";
import { listening } from "../remote/a-listener.ts";
import { aTeam, type Team } from "./a-team.ts";
import { filesBelow } from "../support/files-below.ts";

/** The paths of all files below a folder, sorted. */
const filesIn = (dir: string): readonly string[] => filesBelow(dir).map((path) => join(dir, path));

const takesIn = (team: Team): readonly string[] =>
  filesIn(team.cache).filter((path) => path.endsWith(".takes"));

/** A cache with the recordings of these calls, one after the other in one run. */
async function aFilledTeam(...words: readonly string[]): Promise<Team> {
  const team = await aTeam();
  const machine = team.machine({ writes: true });
  await machine.ask("record", ...words);
  await machine.close();
  return team;
}

const reading = (team: Team) => team.machine({ key: team.publicKey });

describe("a call that is not recorded here", () => {
  it("is answered from the cache in every mode, in the order of its takes, and later without the cache", async () => {
    const team = await aFilledTeam("twice", "twice", "once");
    const machine = reading(team);

    const strict = await machine.ask("strict", "twice", "once", "twice");
    const [lenient] = await reading(team).ask("lenient", "once");
    const [recording] = await reading(team).ask("record", "once");
    rmSync(team.cache, { recursive: true });
    const later = await machine.again("without").ask("strict", "twice", "once", "twice");

    expect(strict.map(({ outcome }) => outcome)).toEqual(["replayed", "replayed", "replayed"]);
    expect(strict[0]?.text).not.toBe(strict[2]?.text);
    expect(later).toEqual(strict);
    expect([lenient?.text, recording?.text]).toEqual([strict[1]?.text, strict[1]?.text]);
    expect(team.paid()).toBe(3);
    expect(filesIn(join(machine.dir, ".local/team"))).toHaveLength(3);
    expect(machine.warnings).toEqual([]);
  });

  it("becomes a recording of the workspace, with its other takes, when it is recorded again", async () => {
    const team = await aFilledTeam("twice", "twice");
    const machine = reading(team);
    const before = await machine.ask("strict", "twice", "twice");

    const [refreshed] = await machine.ask("refresh", "twice");
    const after = await machine.again("without").ask("strict", "twice", "twice");

    expect(after.map(({ text }) => text)).toEqual([refreshed?.text, before[1]?.text]);
  });

  it("is downloaded again if the copy is damaged", async () => {
    const team = await aFilledTeam("hi");
    const machine = reading(team);
    const [before] = await machine.ask("strict", "hi");
    const [file = ""] = filesIn(join(machine.dir, ".local/team"));
    writeFileSync(file, "{ cut off");

    const again = machine.again({ key: team.publicKey });
    const [after] = await again.ask("strict", "hi");

    expect(after).toEqual(before);
    expect(again.warnings).toEqual([expect.stringContaining("because one cannot be read")]);
  });
});

describe("a cache that is writable without the private key", () => {
  const signedBy = (key: string, path: string, content: Uint8Array, team: Team): Uint8Array =>
    signObject(path.slice(team.cache.length + 1), content, readTeamKeys(key));
  const contentOf = (path: string, team: Team): Uint8Array => {
    const opened = openObject(
      path.slice(team.cache.length + 1),
      readFileSync(path),
      readTeamKeys(team.publicKey),
    );
    if ("refused" in opened) throw new Error(opened.refused);
    return opened.content;
  };

  it.each<[string, (path: string, team: Team, other: string) => void, string]>([
    ["garbage", (path) => writeFileSync(path, "garbage"), "is not signed"],
    [
      "a take less",
      (path) =>
        writeFileSync(path, readFileSync(path, "utf8").replace(/\{"take":1,.*?\},\{"take":2/, '{"take":2')),
      "does not have the content that was signed",
    ],
    [
      "cut off",
      (path) => writeFileSync(path, readFileSync(path).subarray(0, 400)),
      "does not have the content that was signed",
    ],
    [
      "another call",
      (path, _, other) => writeFileSync(path, readFileSync(other)),
      "was signed under another name",
    ],
    [
      "another signature",
      (path, team) =>
        writeFileSync(path, signedBy(createKeyPair().privateKey, path, contentOf(path, team), team)),
      "that is not trusted here",
    ],
  ])(
    "changes no answer: with %s, both takes of the call miss, and the run reports why",
    async (_, poison, why) => {
      const team = await aFilledTeam("twice", "twice", "other");
      const [one = "", two = ""] = takesIn(team);
      const [path, other] = readFileSync(one, "utf8").includes("twice") ? [one, two] : [two, one];
      poison(path, team, other);
      const machine = reading(team);

      const answers = await machine.ask("strict", "twice", "twice", "other");

      expect(answers.map(({ outcome }) => outcome)).toEqual(["miss", "miss", "replayed"]);
      expect(machine.warnings).toEqual([expect.stringContaining(why)]);
      expect(machine.deck.team?.counts().refused).toEqual([expect.stringContaining(why)]);
    },
  );

  it("answers nothing with a signed object of another request, which only a writer of the team could make", async () => {
    const team = await aFilledTeam("one", "two");
    const [first = "", second = ""] = takesIn(team);
    writeFileSync(first, signedBy(team.key, first, contentOf(second, team), team));
    const machine = reading(team);

    const outcomes = (await machine.ask("strict", "one", "two")).map(({ outcome }) => outcome);

    expect(outcomes.sort()).toEqual(["miss", "replayed"]);
    expect(machine.warnings).toEqual([expect.stringContaining("has a recording that cannot be read")]);
  });

  it("changes no large body", async () => {
    const team = await aFilledTeam("a body");
    const [path = ""] = takesIn(team);
    const hash = "0".repeat(64);
    const content = contentOf(path, team).toString();
    writeFileSync(
      path,
      signedBy(team.key, path, Buffer.from(content.replace("a body", `blobs/${hash}`)), team),
    );
    mkdirSync(join(team.cache, "blobs"));
    writeFileSync(join(team.cache, "blobs", hash), "another body");
    const machine = reading(team);

    const [answer] = await machine.ask("strict", "a body");

    expect(answer?.outcome).toBe("miss");
    expect(machine.warnings).toEqual([
      expect.stringContaining(`has a large body that was changed, blobs/${hash}`),
    ]);
  });
});

describe("new recordings", () => {
  it("stay local without the private key, also with uploads enabled, and that is reported once", async () => {
    const team = await aTeam();
    const machine = team.machine({ key: team.publicKey, writes: true });

    const answers = await machine.ask("record", "hi", "you");
    await machine.close();

    expect(answers.map(({ outcome }) => outcome)).toEqual(["recorded", "recorded"]);
    expect(filesIn(team.cache)).toEqual([]);
    expect(machine.warnings).toEqual([expect.stringContaining("The team cache is read-only")]);
  });

  it("stay local unless uploads are enabled", async () => {
    const team = await aTeam();
    const machine = team.machine();

    await machine.ask("record", "hi");
    await machine.close();

    expect(filesIn(team.cache)).toEqual([]);
  });

  it("of two writers of the same call: the newer one stays in the cache, and each keeps its own", async () => {
    const team = await aTeam();
    const [one, two] = [team.machine({ writes: true }), team.machine("without")];
    const [older] = await one.ask("record", "hi");
    await one.close();
    const [newer] = await two.ask("record", "hi");
    const again = two.again({ writes: true });
    const [refreshed] = await again.ask("refresh", "hi");
    await again.close();

    const [answer] = await reading(team).ask("strict", "hi");
    const [kept] = await one.again("without").ask("strict", "hi");

    expect(new Set([older?.text, newer?.text, refreshed?.text]).size).toBe(3);
    expect(answer?.text).toBe(refreshed?.text);
    expect(kept?.text).toBe(older?.text);
  });

  it("take the place of an object that was poisoned", async () => {
    const team = await aFilledTeam("hi");
    const [path = ""] = takesIn(team);
    writeFileSync(path, "garbage");
    const writer = team.machine({ writes: true });

    const [recorded] = await writer.ask("record", "hi");
    await writer.close();
    const [answer] = await reading(team).ask("strict", "hi");

    expect(answer?.text).toBe(recorded?.text);
  });
});

describe("a cache that fails", () => {
  it("never fails a run, is reported once, and is left alone", async () => {
    const team = await aTeam();
    let connections = 0;
    const port = await listening(
      createServer((socket) => {
        connections += 1;
        socket.destroy();
      }),
    );
    const machine = team.machine({ address: `redis://127.0.0.1:${port}/0`, writes: true });

    const answers = await machine.ask("record", "one", "two", "one");
    await machine.close();

    expect(answers.map(({ outcome }) => outcome)).toEqual(["recorded", "recorded", "recorded"]);
    expect(connections).toBe(1);
    expect(machine.warnings).toEqual([expect.stringContaining("could not be reached")]);
    expect(machine.deck.team?.counts()).toMatchObject({ uploaded: 0, unsent: 2 });
    expect(machine.deck.team?.trouble()).toContain("could not be reached");
  });

  it("answers from earlier downloads after it failed", async () => {
    const team = await aFilledTeam("one", "two");
    const machine = reading(team);
    const [before] = await machine.ask("strict", "one");
    rmSync(team.cache, { recursive: true });

    const answers = await machine.ask("strict", "one", "two");

    expect(answers.map(({ outcome }) => outcome)).toEqual(["replayed", "miss"]);
    expect(answers[0]?.text).toBe(before?.text);
  });
});
