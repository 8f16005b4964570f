import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openObject, sealObject } from "../../src/remote/sealed/seal.ts";
import { newKeyPair, newSharedKey, readTeamKeys } from "../../src/remote/sealed/team-keys.ts";
import { aFolder } from "../support/a-folder.ts";
import { casesOf } from "../support/cases.ts";
import { seeded } from "../support/seeded.ts";
import { aKey, namesOf, never, openFor } from "./a-remote.ts";
import { POISONS, teams } from "./poisoned-objects.ts";

const CASES = casesOf({ quick: 120, long: 1_000 });

describe.each(teams())("a team that signs with $kind", ({ writer, reader, publicKey }) => {
  it(`trusts none of ${CASES} objects that were poisoned or put elsewhere, and every one of its own`, async () => {
    const dir = aFolder();
    const remote = await openFor("read", { type: "folder", name: dir, dir });
    const random = seeded(34);
    const poisons = Object.entries(POISONS);
    const trusted: string[] = [];
    const reasons = new Set<string>();
    const strangers = readTeamKeys(newSharedKey());

    for (let index = 0; index < CASES; index += 1) {
      const [kind, poison] = poisons[index % poisons.length]!;
      const inside = `calls/openai/${aKey(`${index}`)}.json`;
      const name = `trusted/${inside}`;
      const encrypt = index % 3 === 0 && writer.encryption.length > 0;
      const good = sealObject(name, Buffer.from(`{"reply":"${"good ".repeat(index % 40)}"}`), writer, {
        encrypt,
      });
      const other = sealObject(
        `trusted/calls/openai/${aKey(`other ${index}`)}.json`,
        Buffer.from("other"),
        writer,
        {
          encrypt,
        },
      );
      const untrusted = sealObject(
        `untrusted/${inside}`,
        Buffer.from("poison"),
        index % 2 === 0 ? strangers : writer,
      );
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), poison(name, good, { other, untrusted, publicKey, random }));

      const found = await remote.get(name, never);
      const opened = openObject(name, found ?? Buffer.alloc(0), reader);

      if ("bytes" in opened) trusted.push(`${kind}: ${index}`);
      else reasons.add(opened.refused);
      expect("bytes" in openObject(name, good, reader)).toBe(true);
    }

    expect(trusted).toEqual([]);
    expect([...reasons].sort()).toEqual(
      [
        "damaged",
        "elsewhere",
        "newer-format",
        "not-ours",
        "unknown-key",
        "unsigned",
        "wrong-signature",
      ].sort(),
    );
  });
});

// CVE-2025-36852: a cache in a bucket that both a pull request's build and that of the main branch can write to.
describe("whoever can write to the remote without the team's key", () => {
  const { privateKey, publicKey } = newKeyPair();
  const own = readTeamKeys(newSharedKey());
  const inside = `calls/openai/${aKey("build")}.json`;
  const reply = Buffer.from('{"reply":"from the main branch"}');
  const poison = Buffer.from('{"reply":"from a pull request"}');

  it("has no trusted run read what it wrote first, in any scope", async () => {
    const dir = aFolder();
    const address = { type: "folder", name: dir, dir } as const;
    const stranger = await openFor("write", address);
    await stranger.add(`untrusted/${inside}`, sealObject(`untrusted/${inside}`, poison, own), never);
    await stranger.add(`trusted/${inside}`, sealObject(`trusted/${inside}`, poison, own), never);
    const trusted = await openFor("read", address);
    const team = readTeamKeys(publicKey);

    const names = await namesOf(trusted, "trusted/");

    expect(names).toEqual([`trusted/${inside}`]);
    const found = await trusted.get(`trusted/${inside}`, never);
    expect(openObject(`trusted/${inside}`, found ?? poison, team)).toEqual({ refused: "unknown-key" });
  });

  it("cannot move what an untrusted run signed with the team's key into the trusted scope", async () => {
    const dir = aFolder();
    const remote = await openFor("write", { type: "folder", name: dir, dir });
    const sealed = sealObject(`untrusted/${inside}`, poison, readTeamKeys(privateKey));
    await remote.add(`trusted/${inside}`, sealed, never);

    const found = await remote.get(`trusted/${inside}`, never);

    expect(openObject(`trusted/${inside}`, found ?? poison, readTeamKeys(publicKey))).toEqual({
      refused: "elsewhere",
    });
  });

  it("cannot replace what a trusted run wrote", async () => {
    const dir = aFolder();
    const remote = await openFor("write", { type: "folder", name: dir, dir });
    const name = `trusted/${inside}`;
    await remote.add(name, sealObject(name, reply, readTeamKeys(privateKey)), never);

    expect(await remote.add(name, sealObject(name, poison, own), never)).toBe("taken");

    const found = await remote.get(name, never);
    expect(openObject(name, found ?? poison, readTeamKeys(publicKey))).toEqual({ bytes: reply });
  });
});
