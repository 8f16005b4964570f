import { padColumns } from "../../core/base/columns.ts";
import { localize } from "../../core/base/localize.ts";
import { listCostMembers, computeRecordedCost } from "../../core/view/prices/price-of.ts";
import { explain } from "../../core/base/errors.ts";
import { parseInstant } from "../../core/base/age.ts";
import { describeRow, type RowFact } from "../../core/view/row.ts";
import { formatCallName, getKeyDigits } from "../../core/cassette/address.ts";
import type { Deck } from "../../deck/deck.ts";
import { EXIT, type Command } from "../command.ts";
import { summarizeTest } from "../report/call-line.ts";
import { countTakes } from "../../storage/check/read-all.ts";
import type { FoundFacts } from "../../storage/local/facts-table.ts";
import type { RecordingFacts } from "../../core/view/recording-facts.ts";
import type { OwnPrices } from "../../core/view/prices/own-prices.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { getPricesHelp, getDirHelp, openFolder } from "../options/read-options.ts";
import { paint, type Terminal } from "../terminal.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { writeVisibleJson, makeVisibleLine } from "../../core/base/visible.ts";

/** Lists the recordings, broken ones too. */
export const list: Command = {
  name: "list",
  summary: localize("List the recorded calls."),
  synopsis: "list [--dir D] [--prices FILE] [--json]",
  options: [
    getDirHelp(),
    getPricesHelp(),
    ["--json", localize("print an array as JSON; costUsd is the cost of a call, or null with a costReason")],
  ],
  async execute(args, terminal) {
    const { deck, prices, shownDir } = await openFolder(args, terminal, { team: true });
    const addresses = await deck.store.list();
    const takes = countTakes(addresses);
    const listing = { deck, prices, terminal, takes };
    const isJson = args.has("json");
    let count = 0;
    let text = "";
    for await (const found of deck.readFacts(addresses)) {
      count += 1;
      if (!isJson) text += `${line(found, listing)}\n`;
      else text += `${count === 1 ? "[" : ","}\n${writeVisibleJson(row(found, listing))}`;
      if (text.length < PRINTED_AT_ONCE) continue;
      terminal.out(text);
      text = "";
    }
    const end = count === 0 ? "[]\n" : "\n]\n";
    terminal.out(isJson ? text + end : text);
    terminal.err(`${localizeCount(count, "{0} recording in {1}", "{0} recordings in {1}", shownDir)}\n`);
    await deck.close();
    return EXIT.ok;
  },
};

/** In characters. */
const PRINTED_AT_ONCE = 16_384;

/** The name of a recording for `show`: the beginning of its key, and the take where it is not the first. */
function shortName({ address }: FoundFacts): string {
  const take = address.take === 1 ? "" : `.${address.take}`;
  return `${getKeyDigits(address.key)}${take}`;
}

const NAME_WIDTH = 10;
const PROVIDER_WIDTH = 10;

interface ListContext {
  readonly deck: Deck;
  readonly prices: OwnPrices;
  readonly terminal: Terminal;
  /** How many takes each call has. */
  readonly takes: ReadonlyMap<string, number>;
}

const SHOWN_FACTS: readonly RowFact[] = ["model", "status", "test", "tokens", "take", "age"];

function line(found: FoundFacts, { deck, terminal, takes }: ListContext): string {
  const { address, facts, broken } = found;
  const start = `${padColumns(shortName(found), NAME_WIDTH)}  ${padColumns(address.provider, PROVIDER_WIDTH)}`;
  if (broken !== undefined)
    return `${start}  ${paint(terminal.color.out, "red", localize("broken"))}: ${makeVisibleLine(broken.message)}`;
  if (facts === undefined) return start;
  const { described, operation, test, model = operation } = facts;
  const of = Math.max(takes.get(formatCallName(address)) ?? 1, address.take);
  const description = describeRow(
    {
      model,
      take: { k: address.take, of },
      status: facts.status,
      test,
      usage: described?.usage,
      at: parseInstant(facts.recordedAt),
    },
    SHOWN_FACTS,
    terminal.now(),
  );
  const from = deck.team?.isTeams(address.entry) === true ? localize(" · from the team") : "";
  return `${start}  ${makeVisibleLine(described?.asked ?? operation)}  ${paint(terminal.color.out, "dim", makeVisibleLine(description) + from)}`;
}

function row(
  { address, facts, broken }: FoundFacts,
  { deck, prices }: ListContext,
): Readonly<Record<string, unknown>> {
  const { entry, key, provider, take } = address;
  const place = { entry, key, provider, take };
  if (broken !== undefined) return { ...place, broken: explain(broken), position: broken.position ?? null };
  if (facts === undefined) return place;
  const { operation, model, recordedAt, test, status, bytes, described } = facts;
  return {
    entry,
    key,
    provider,
    operation,
    model: model ?? null,
    label: described?.label ?? operation,
    recordedAt,
    take,
    test: test === undefined ? null : summarizeTest(test),
    status,
    ...(deck.team?.isTeams(entry) === true && { from: "team" }),
    bytes: { request: bytes[0], reply: bytes[1] },
    ...listCostMembers(costOf(facts, deck.providers.get(provider)?.upstream, prices)),
  };
}

function costOf({ model, described }: RecordingFacts, upstream: string | undefined, prices: OwnPrices) {
  if (described === undefined) return undefined;
  const { usage, replyModel, units } = described;
  return computeRecordedCost(
    { projection: pickDefined({ usage, model: replyModel }), model, upstream, units: () => units },
    prices,
  );
}
