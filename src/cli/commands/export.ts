import { localize } from "../../core/base/localize.ts";
import { createCassetteFolderUnusable, createWrongUsage } from "../../core/base/errors.ts";
import { createExportedCall, type ExportedCall } from "../../core/formats/export/exported-call.ts";
import { writeHar } from "../../core/formats/export/har.ts";
import { writeVcr } from "../../core/formats/export/vcr.ts";
import type { Deck } from "../../deck/deck.ts";
import { readAll } from "../../storage/check/read-all.ts";
import { createUsageError, readUpstreams } from "../options/arguments.ts";
import { EXIT, type Command, type Arguments } from "../command.ts";
import { readVersion } from "../version.ts";
import { inspectFolder, readDir } from "../options/dir.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import { openDeckAsAsked, getOutHelp, writeOutput } from "../options/read-options.ts";
import { getDirOnlyHelp } from "../options/serve-options.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { paint, printMessage, type Terminal } from "../terminal.ts";

type Write = (calls: readonly ExportedCall[]) => string;

const TARGETS: Readonly<Record<string, Write>> = {
  har: (calls) => writeHar(calls, readVersion()),
  vcr: writeVcr,
};

/** Exports recordings to the formats of other tools, so that users are not locked in. */
export const exportCommand: Command = {
  name: "export",
  summary: localize("Export the recordings for other tools."),
  synopsis: "export [--dir D] --to har|vcr [--out FILE] [--upstream PROVIDER=URL]",
  options: [
    getDirOnlyHelp(),
    ["--to FORMAT", localize("har (HTTP archive 1.2), or vcr (a cassette of Python's vcrpy)")],
    getOutHelp(),
    ["--upstream PROVIDER=URL", localize("the address of a provider that has none here; repeatable")],
  ],
  async execute(args, terminal) {
    const write = writerOf(args);
    const { dir, shownDir } = readDir(args, terminal);
    if ((await inspectFolder(dir, { writes: false })) === "absent")
      throw createCassetteFolderUnusable(dir, localize("it does not exist."));
    const deck = openDeckAsAsked({ dir, upstreams: readUpstreams(args) });
    const { calls, broken } = await callsOf(deck, terminal);
    const nameless = new Set(
      calls
        .map(({ recording }) => recording.provider)
        .filter((name) => deck.providers.get(name)?.upstream === undefined),
    );
    await deck.close();
    for (const name of nameless) {
      const hint = localize("set it with --upstream {0}=https://…", name);
      printMessage(terminal, "warning", localize("{0} has no address here: {1}", name, hint));
    }
    const text = write(calls);
    await writeOutput(text, args.value("out"), terminal);
    terminal.err(
      `${localizeCount(calls.length, "{0} call of {1} exported", "{0} calls of {1} exported", shownDir)}\n`,
    );
    return broken ? EXIT.failed : EXIT.ok;
  },
};

function writerOf(args: Arguments): Write {
  const to = args.value("to");
  if (to === undefined) throw createUsageError("export", localize("export needs --to with har or vcr."));
  const write = Object.hasOwn(TARGETS, to) ? TARGETS[to] : undefined;
  if (write === undefined)
    throw createWrongUsage(localize('"{0}" is not an export format.', to), localize("Use har or vcr."));
  return write;
}

/** Returns all readable recordings. Reports an unreadable one, sets `broken`, and continues with the others. */
async function callsOf(
  deck: Deck,
  terminal: Terminal,
): Promise<{ readonly calls: readonly ExportedCall[]; readonly broken: boolean }> {
  const calls: ExportedCall[] = [];
  let broken = false;
  for await (const found of readAll(deck.store)) {
    if (found.recording !== undefined) calls.push(createExportedCall(found.recording, deck.providers));
    if (found.broken === undefined) continue;
    broken = true;
    terminal.err(
      `${paint(terminal.color.err, "red", localize("skipped:"))} ${makeVisibleLine(found.broken.message)}\n`,
    );
  }
  return { calls, broken };
}
