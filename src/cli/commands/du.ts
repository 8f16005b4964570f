import { lstatSync } from "node:fs";
import { join } from "node:path";
import { groupBy } from "../../core/group-by.ts";
import { sizeOf } from "../../core/match/differences/excerpt.ts";
import { plural } from "../../core/plural.ts";
import { visibleJson, visibleLine } from "../../core/view/visible.ts";
import { testTitle } from "../../core/view/names.ts";
import { readAll, type FoundRecording } from "../../storage/check/read-all.ts";
import { blobSizes } from "../../storage/folder/blob-sizes.ts";
import { createFolderStore } from "../../storage/folder/folder-store.ts";
import { hasTeamLayer, teamLayerOf, TRUSTED } from "../../storage/team/team-layer.ts";
import { DIR_HELP, openFolder } from "../options/read-options.ts";
import { EXIT, section, type Command } from "../command.ts";
import { pickDefined } from "../../core/pick-defined.ts";

/** So many of the tests and of the recordings are shown to people. */
const SHOWN = 10;

export const du: Command = {
  name: "du",
  summary: "Say how large the recordings are, by provider and test, and which are the largest.",
  synopsis: "du [--dir D] [--json]",
  options: [DIR_HELP, ["--json", "all of them as JSON, in bytes"]],
  async execute(args, terminal) {
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    const files: Sized[] = [];
    for await (const found of readAll(deck.store))
      files.push({ ...namesOf(found), bytes: sizeAt(join(dir, found.address.entry)) });
    await deck.close();
    const team = await teamPart(dir);
    const sizes = { ...sizesOf(files, blobSizes(dir)), ...pickDefined({ team }) };
    if (args.has("json")) terminal.out(`${visibleJson(sizes, 2)}\n`);
    else terminal.out(sizesText(sizes));
    terminal.err(`${plural(files.length, "recording")} in ${shownDir}: ${sizeOf(sizes.bytes)}\n`);
    if (team !== undefined)
      terminal.err(`${plural(team.recordings, "recording")} from the team's cache: ${sizeOf(team.bytes)}\n`);
    return EXIT.ok;
  },
};

/** What came from the team's cache, which git ignores; undefined where nothing did. */
async function teamPart(dir: string): Promise<Omit<Part, "name"> | undefined> {
  if (!hasTeamLayer(dir, TRUSTED)) return undefined;
  const layerDir = teamLayerOf(dir, TRUSTED);
  const layer = createFolderStore(layerDir);
  const entries = await layer.list();
  layer.close();
  const files = entries.map(({ entry }) => ({ bytes: sizeAt(join(layerDir, entry)) }));
  return { recordings: entries.length, bytes: total(files) + blobSizes(layerDir).bytes };
}

interface Sized {
  readonly entry: string;
  readonly provider: string;
  readonly test: string;
  readonly bytes: number;
}

interface Part {
  readonly name: string;
  readonly recordings: number;
  readonly bytes: number;
}

interface Sizes {
  /** All of it, in bytes. */
  readonly bytes: number;
  readonly blobs: { readonly files: number; readonly bytes: number };
  /** Largest first, like the others. */
  readonly providers: readonly Part[];
  readonly tests: readonly Part[];
  readonly recordings: readonly Pick<Sized, "entry" | "bytes">[];
}

function namesOf({ address, recording }: FoundRecording): Omit<Sized, "bytes"> {
  const test = recording?.test;
  const { entry, provider } = address;
  return {
    entry,
    provider,
    test: test === undefined ? "(no test)" : `${test.file} ${testTitle(test)}`.trim(),
  };
}

function sizesOf(files: readonly Sized[], blobs: Sizes["blobs"]): Sizes {
  return {
    bytes: total(files) + blobs.bytes,
    blobs,
    providers: partsBy(files, ({ provider }) => provider),
    tests: partsBy(files, ({ test }) => test),
    recordings: files.map(({ entry, bytes }) => ({ entry, bytes })).sort(largestFirst),
  };
}

function partsBy(files: readonly Sized[], nameOf: (file: Sized) => string): readonly Part[] {
  const parts = groupBy(files, nameOf).map((group) => ({
    name: group[0] === undefined ? "" : nameOf(group[0]),
    recordings: group.length,
    bytes: total(group),
  }));
  return parts.sort(largestFirst);
}

function largestFirst(a: { readonly bytes: number }, b: { readonly bytes: number }): number {
  return b.bytes - a.bytes;
}

function total(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** 0 where there is nothing. */
const sizeAt = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

function sizesText({ blobs, providers, tests, recordings }: Sizes): string {
  const parts = (all: readonly Part[]): readonly Row[] =>
    all.map((part) => [sizeOf(part.bytes), `${part.name}  ${plural(part.recordings, "recording")}`]);
  const large =
    blobs.files === 0 ? [] : ([[sizeOf(blobs.bytes), `blobs  ${plural(blobs.files, "file")}`]] as const);
  const largest = recordings.map(({ entry, bytes }) => [sizeOf(bytes), entry] as const);
  const tables = {
    "By provider": [...parts(providers), ...large],
    "By test": parts(tests),
    Largest: largest,
  };
  return Object.entries(tables)
    .map(([title, rows]) => section(title, rows.map(shownRow), SHOWN))
    .flatMap((lines) => (lines.length > 0 ? [...lines, ""] : []))
    .join("\n");
}

type Row = readonly [size: string, name: string];

const shownRow = ([size, name]: Row): Row => [size.padStart(9), visibleLine(name)];
