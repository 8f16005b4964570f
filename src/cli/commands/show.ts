import { costMembers } from "../../core/budget/recorded-cost.ts";
import { relative } from "node:path";
import type { RecordedReply, RecordedRequest, Recording } from "../../core/cassette/recording.ts";
import { renderRecording } from "../../core/view/recording-document.ts";
import type { RecordingView, TakeOf } from "../../core/view/recording-view.ts";
import { readArguments, usage } from "../options/arguments.ts";
import { EXIT, type Command } from "../command.ts";
import { findRecording } from "../find-recording.ts";
import { PRICES_HELP } from "../options/named-files.ts";
import { DIR_HELP, openFolder } from "../options/read-options.ts";
import { visibleJson } from "../../core/view/visible.ts";

/** Shows one recording as a readable document or as JSON. */
export const show: Command = {
  name: "show",
  summary: "Show a recording: what was asked and what was answered.",
  synopsis: "show ENTRY [--dir D] [--prices FILE] [--json]",
  options: [
    [
      "ENTRY",
      "the recording's path, or at least 4 digits of its key (3f9a2c41, 3f9a2c41.2 for its second take)",
    ],
    DIR_HELP,
    PRICES_HELP,
    ["--json", "the recording, its conversation and its projection as JSON"],
  ],
  async execute(argv, terminal) {
    const args = readArguments("show", argv, { dir: "value", prices: "value", json: "flag" });
    const [named, ...more] = args.positionals;
    if (named === undefined || more.length > 0) throw usage("show", "show takes one recording.");
    const { deck, dir } = await openFolder(args, terminal);
    const addresses = await deck.store.list();
    const address = findRecording(named, addresses, { dir, cwd: terminal.cwd });
    const recording = await deck.store.read(address.entry);
    const view = deck.describe(recording);
    const takes = addresses.filter(
      ({ provider, key }) => provider === address.provider && key === address.key,
    );
    const take = { k: address.take, of: Math.max(takes.length, address.take) };
    if (args.has("json")) {
      terminal.out(`${visibleJson(recordingJson(view, address.entry, take), 2)}\n`);
    } else {
      const path = relative(terminal.cwd, `${dir}/${address.entry}`);
      terminal.out(renderRecording(view, { now: terminal.now(), path, take }).text);
    }
    await deck.close();
    return EXIT.ok;
  },
};

function recordingJson(view: RecordingView, entry: string, take: TakeOf): Readonly<Record<string, unknown>> {
  const { recording, facts, conversation, projection, cost } = view;
  const read = { ...decoded(recording), label: facts.label, conversation, projection };
  return { entry, take, ...read, ...costMembers(cost) };
}

function decoded(recording: Recording): Readonly<Record<string, unknown>> {
  const { request, reply, ...rest } = recording;
  return { ...rest, request: withBody(request), reply: withBody(reply) };
}

/** The body as `json` where it is JSON, else as `text`, else as `base64`. */
function withBody(message: RecordedRequest | RecordedReply): Readonly<Record<string, unknown>> {
  const { body, ...rest } = message;
  if (body.byteLength === 0) return rest;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return { ...rest, base64: Buffer.from(body).toString("base64") };
  }
  try {
    return { ...rest, json: JSON.parse(text) as unknown };
  } catch {
    return { ...rest, text };
  }
}
