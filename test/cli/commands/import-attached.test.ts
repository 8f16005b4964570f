import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import * as more from "../../support/more-recorders.ts";
import * as files from "../../support/other-recorders.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const whole = JSON.stringify(files.ANSWERED);

interface Report {
  readonly imported: readonly { readonly entry: string }[];
  readonly skipped: readonly { readonly reason: string }[];
}

async function imported(cwd: string, named: string) {
  const { stdout } = await tapedeck(["import", named, "--json"], { cwd });
  const [report] = (JSON.parse(stdout) as { readonly reports: readonly Report[] }).reports;
  const store = createFolderStore(join(cwd, ".tapedeck"));
  const replies = await Promise.all(
    report!.imported.map(async ({ entry }) => Buffer.from((await store.read(entry)).reply.body).toString()),
  );
  return { replies, reasons: report!.skipped.map(({ reason }) => reason) };
}

const REFUSED = [
  expect.stringContaining('the file "../outside.json"'),
  expect.stringContaining('the file "absent.json"'),
  expect.stringContaining('encoding "brotli"'),
  expect.stringContaining('field "contentEncoding"'),
];

describe("an HTTP archive of Playwright", () => {
  test("has its bodies in files beside it; files outside its folder are not read", async () => {
    const beside = Object.entries(more.BESIDE_PLAYWRIGHT).map(([name, text]) => [`hars/${name}`, text]);
    const cwd = aProject({
      "outside.json": whole,
      "hars/a.har": more.PLAYWRIGHT,
      ...Object.fromEntries(beside),
    });

    const { replies, reasons } = await imported(cwd, "hars");

    expect(replies).toEqual([whole, files.ACCENTED]);
    expect(reasons).toEqual(REFUSED);
    expect(reasons[0]).toContain("outside of the archive's folder");
  });

  test("may be in a zip archive with these files", async () => {
    const entries = { "har.har": more.PLAYWRIGHT, ...more.BESIDE_PLAYWRIGHT };
    const zip = zipSync(
      Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, strToU8(text)])),
    );
    const cwd = aProject({ "hars/a.har.zip": zip });

    const { replies, reasons } = await imported(cwd, "hars");

    expect(replies).toEqual([whole, files.ACCENTED]);
    expect(reasons).toEqual(REFUSED);
  });

  test("is named with what is wrong when a zip archive has none, or is torn", async () => {
    const none = zipSync({ "a.txt": strToU8("a") });
    const cwd = aProject({ "none.zip": none, "torn.zip": none.subarray(0, 40) });

    const { code, stderr } = await tapedeck(["import", "none.zip", "torn.zip"], { cwd });

    expect(code).toBe(1);
    expect(stderr).toContain("none.zip is a zip archive without a .har file");
    expect(stderr).toContain("torn.zip cannot be read");
  });
});
