import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { ADDRESS, ANSWERED, ASKED } from "../../support/other-recorders.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

interface Cassette {
  readonly recorded_at?: string;
  readonly date?: string;
  readonly answer?: object;
}

const WRITTEN = new Date("2026-02-03T04:05:06.000Z");

/** When a call was made, by a cassette that a checkout wrote at `WRITTEN`. */
async function importedDate({ recorded_at, date, answer = {} }: Cassette): Promise<string | undefined> {
  const answered = Object.fromEntries(Object.entries(ANSWERED).filter(([name]) => name !== "created"));
  const interaction = {
    request: { method: "POST", uri: ADDRESS, headers: {}, body: JSON.stringify(ASKED) },
    response: {
      status: { code: 200 },
      headers: { "content-type": ["application/json"], ...(date !== undefined && { date: [date] }) },
      body: { string: JSON.stringify({ ...answered, ...answer }) },
    },
    ...(recorded_at !== undefined && { recorded_at }),
  };
  const cwd = aProject({ "one.json": JSON.stringify({ interactions: [interaction] }) });
  utimesSync(join(cwd, "one.json"), WRITTEN, WRITTEN);
  await tapedeck(["import", "one.json"], { cwd });
  const store = createFolderStore(join(cwd, ".tapedeck"));
  const [first] = await store.list();
  return first && (await store.read(first.entry)).recordedAt;
}

describe("an imported recording was made", () => {
  it("from its cassette", async () => {
    expect(await importedDate({ recorded_at: "Tue, 01 Nov 2011 04:58:44 GMT" })).toBe(
      "2011-11-01T04:58:44.000Z",
    );
  });

  it("from the provider's header", async () => {
    expect(await importedDate({ date: "Mon, 04 Aug 2025 10:00:00 GMT" })).toBe("2025-08-04T10:00:00.000Z");
  });

  it("from the reply itself, if the cassette has no headers", async () => {
    expect(await importedDate({ answer: { created: 1_749_514_895 } })).toBe("2025-06-10T00:21:35.000Z");
    expect(await importedDate({ answer: { created_at: "2026-04-14T00:25:59.133Z" } })).toBe(
      "2026-04-14T00:25:59.133Z",
    );
  });

  it("at the latest when its file was written, without any other date", async () => {
    expect(await importedDate({})).toBe(WRITTEN.toISOString());
    expect(await importedDate({ answer: { created: 0 } })).toBe(WRITTEN.toISOString());
  });
});
