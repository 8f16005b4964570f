import { localize } from "../../core/base/localize.ts";
import { tryParsePlainJson } from "../../core/base/lenient.ts";
import { decodePlainUtf8 } from "../../core/base/wire/text.ts";
import { listCostMembers } from "../../core/view/prices/price-of.ts";
import { relative } from "node:path";
import type { RecordedReply, RecordedRequest } from "../../core/cassette/recording.ts";
import { renderRecording } from "../../core/view/recording-document.ts";
import type { TakeOf } from "../../core/cassette/address.ts";
import type { RecordingView } from "../../core/view/describe.ts";
import { createUsageError } from "../options/arguments.ts";
import type { Deck } from "../../deck/deck.ts";
import { EXIT, type Command } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { getPricesHelp, getDirHelp, openFolder } from "../options/read-options.ts";
import { writeVisibleJson } from "../../core/base/visible.ts";
import { findRecording } from "../../storage/find-recording.ts";

/** Shows one recording, or all of a test's, as a readable document or as JSON. */
export const show: Command = {
  name: "show",
  summary: localize("Show the request and the response of a recording."),
  synopsis: "show ENTRY [--dir D] [--prices FILE] [--json]",
  options: [
    [
      "ENTRY",
      localize(
        "the path of the recording, or at least 4 digits of its key (3f9a2c41; 3f9a2c41.2 for its second take)",
      ),
    ],
    getDirHelp(),
    getPricesHelp(),
    ["--json", localize("print the recording, its conversation, and its projection as JSON")],
  ],
  takes: "names",
  async execute(args, terminal) {
    const [named, ...more] = args.positionals;
    if (named === undefined || more.length > 0)
      throw createUsageError("show", localize("show needs one recording."));
    const { deck, dir } = await openFolder(args, terminal, { team: true });
    await showRecording(named, { deck, dir, json: args.has("json") }, terminal);
    await deck.close();
    return EXIT.ok;
  },
};

async function showRecording(
  named: string,
  { deck, dir, json }: { readonly deck: Deck; readonly dir: string; readonly json: boolean },
  terminal: Terminal,
): Promise<void> {
  const addresses = await deck.store.list();
  const address = findRecording(named, addresses, { dir, cwd: terminal.cwd });
  const recording = await deck.store.read(address.entry);
  const view = deck.describe(recording);
  const takes = addresses.filter(({ provider, key }) => provider === address.provider && key === address.key);
  const take = { k: address.take, of: Math.max(takes.length, address.take) };
  if (json) {
    terminal.out(`${writeVisibleJson(recordingJson(view, address.entry, take), 2)}\n`);
  } else {
    const path = relative(terminal.cwd, `${dir}/${address.entry}`);
    terminal.out(renderRecording(view, { now: terminal.now(), path, take }).text);
  }
}

function recordingJson(view: RecordingView, entry: string, take: TakeOf): Readonly<Record<string, unknown>> {
  const { facts, conversation, projection, cost } = view;
  const { request, reply, ...rest } = view.recording;
  const read = { ...rest, request: withBody(request), reply: withBody(reply) };
  return { entry, take, ...read, label: facts.label, conversation, projection, ...listCostMembers(cost) };
}

/** The body as `json` where it is JSON, else as `text`, else as `base64`. */
function withBody(message: RecordedRequest | RecordedReply): Readonly<Record<string, unknown>> {
  const { body, ...rest } = message;
  if (body.byteLength === 0) return rest;
  const text = decodePlainUtf8(body);
  if (text === undefined) return { ...rest, base64: Buffer.from(body).toString("base64") };
  const json = tryParsePlainJson(text);
  return json === undefined ? { ...rest, text } : { ...rest, json };
}
