import { costMembers } from "../../core/view/prices/price-of.ts";
import { explain } from "../../core/base/errors.ts";
import { instantOf } from "../../core/base/age.ts";
import { callLabel, rowText } from "../../core/view/row.ts";
import { keyDigits } from "../../core/call/names.ts";
import type { Deck } from "../../deck/deck.ts";
import { EXIT, type Command } from "../command.ts";
import { testSummary } from "../report/call-line.ts";
import { readAll, type FoundRecording } from "../../storage/check/read-all.ts";
import { PRICES_HELP, DIR_HELP, openFolder } from "../options/read-options.ts";
import { paint, type Terminal } from "../terminal.ts";
import { plural } from "../../core/base/plural.ts";
import { visibleJson, visibleLine } from "../../core/base/visible.ts";
import { tryDescribe } from "../report/traces.ts";

/** Lists the recordings, broken ones too. */
export const list: Command = {
  name: "list",
  summary: "List the recorded calls.",
  synopsis: "list [--dir D] [--prices FILE] [--json]",
  options: [
    DIR_HELP,
    PRICES_HELP,
    [
      "--json",
      "an array on standard output; costUsd is what a call took; null where that is not known, with a costReason",
    ],
  ],
  async execute(args, terminal) {
    const { deck, shownDir } = await openFolder(args, terminal, { team: true });
    let count = 0;
    let separator = "[\n";
    for await (const found of readAll(deck.store)) {
      count += 1;
      if (!args.has("json")) terminal.out(`${line(found, deck, terminal)}\n`);
      else terminal.out(`${separator}${visibleJson(row(found, deck))}`);
      separator = ",\n";
    }
    if (args.has("json")) terminal.out(count === 0 ? "[]\n" : "\n]\n");
    terminal.err(`${plural(count, "recording")} in ${shownDir}\n`);
    await deck.close();
    return EXIT.ok;
  },
};

/** The name of a recording for `show`: the beginning of its key, and the take where it is not the first. */
function shortName({ address }: FoundRecording): string {
  const take = address.take === 1 ? "" : `.${address.take}`;
  return `${keyDigits(address.key)}${take}`;
}

const NAME_WIDTH = 10;
const PROVIDER_WIDTH = 10;

function line(found: FoundRecording, deck: Deck, terminal: Terminal): string {
  const { address, recording, broken, take } = found;
  const start = `${shortName(found).padEnd(NAME_WIDTH)}  ${address.provider.padEnd(PROVIDER_WIDTH)}`;
  if (broken !== undefined)
    return `${start}  ${paint(terminal.colour.out, "red", "broken")}: ${visibleLine(broken.message)}`;
  if (recording === undefined) return start;
  const view = tryDescribe(recording, deck);
  const at = instantOf(recording.recordedAt);
  const { test, model = recording.operation } = recording;
  const { label, description } = rowText(
    {
      label: view === undefined ? recording.operation : callLabel(view),
      state: "recorded",
      model,
      take,
      status: recording.reply.status,
      test,
      ...(view?.projection.usage !== undefined && { usage: view.projection.usage }),
      at,
    },
    { now: terminal.now(), facts: ["model", "status", "test", "tokens", "take", "age"] },
  );
  const from = deck.team?.isTeams(address.entry) === true ? " · from the team" : "";
  return `${start}  ${visibleLine(label)}  ${paint(terminal.colour.out, "dim", visibleLine(description) + from)}`;
}

function row({ address, recording, broken }: FoundRecording, deck: Deck): Readonly<Record<string, unknown>> {
  const { entry, key, provider, take } = address;
  const place = { entry, key, provider, take };
  if (broken !== undefined) return { ...place, broken: explain(broken), position: broken.position ?? null };
  if (recording === undefined) return place;
  const { operation, model, recordedAt, test, request, reply } = recording;
  const view = tryDescribe(recording, deck);
  return {
    entry,
    key,
    provider,
    operation,
    model: model ?? null,
    label: view?.facts.label ?? operation,
    recordedAt,
    take,
    test: test === undefined ? null : testSummary(test),
    status: reply.status,
    ...(deck.team?.isTeams(entry) === true && { from: "team" }),
    bytes: { request: request.body.byteLength, reply: reply.body.byteLength },
    ...costMembers(view?.cost),
  };
}
