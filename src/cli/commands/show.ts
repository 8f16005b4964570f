import { localize } from "../../core/base/localize.ts";
import { tryParsePlainJson } from "../../core/base/lenient.ts";
import { decodePlainUtf8 } from "../../core/base/wire/text.ts";
import { listCostMembers } from "../../core/view/prices/price-of.ts";
import { relative, isAbsolute, resolve, sep } from "node:path";
import type {
  RecordedReply,
  RecordedRequest,
  Recording,
  RecordingAddress,
} from "../../core/cassette/recording.ts";
import { renderRecording } from "../../core/view/recording-document.ts";
import { type TakeOf, getKeyDigits } from "../../core/cassette/address.ts";
import type { RecordingView } from "../../core/view/describe.ts";
import { createUsageError } from "../options/arguments.ts";
import type { Deck } from "../../deck/deck.ts";
import { EXIT, formatNames, type Command } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { getPricesHelp, getDirHelp, openFolder } from "../options/read-options.ts";
import { writeVisibleJson } from "../../core/base/visible.ts";
import { createTapedeckError, createWrongUsage, type TapedeckError } from "../../core/base/errors.ts";

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
  const { recording, facts, conversation, projection, cost } = view;
  const read = { ...decodeBodies(recording), label: facts.label, conversation, projection };
  return { entry, take, ...read, ...listCostMembers(cost) };
}

function decodeBodies(recording: Recording): Readonly<Record<string, unknown>> {
  const { request, reply, ...rest } = recording;
  return { ...rest, request: withBody(request), reply: withBody(reply) };
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

const SHORTEST_PREFIX = 4;

/**
 * The recording that a person means: by its entry, by the path of its file, or by the beginning of its key with
 * ".2" and so on for a later take.
 * @throws TapedeckError `tapedeck_usage` for what names nothing at all, `tapedeck_cassette` where none or several fit.
 */
function findRecording(
  named: string,
  addresses: readonly RecordingAddress[],
  place: { readonly dir: string; readonly cwd: string },
): RecordingAddress {
  const byPath = addresses.find(({ entry }) => pathsOf(named, place).includes(entry));
  if (byPath !== undefined) return byPath;
  const parts = /^(?:sha256:)?([0-9a-fA-F]+)(?:\.([1-9]\d*))?(?:\.json)?…?$/.exec(named);
  const prefix = parts?.[1]?.toLowerCase();
  if (prefix === undefined) throw notRecorded(named);
  if (prefix.length < SHORTEST_PREFIX) {
    throw createWrongUsage(
      localize('"{0}" is too short to name a recording.', named),
      localize("Use at least {0} digits of its key.", SHORTEST_PREFIX),
    );
  }
  const fitting = addresses.filter(({ key }) => key.startsWith(`sha256:${prefix}`));
  const [first] = fitting;
  if (first === undefined) throw notRecorded(named);
  if (fitting.some(({ key, provider }) => key !== first.key || provider !== first.provider)) {
    throw ambiguous(named, fitting);
  }
  const take = Number(parts?.[2] ?? first.take);
  const found = fitting.find((address) => address.take === take);
  if (found === undefined) throw notRecorded(named);
  return found;
}

/** What `named` may mean as a path, relative to the cassette folder. */
function pathsOf(
  named: string,
  { dir, cwd }: { readonly dir: string; readonly cwd: string },
): readonly string[] {
  const fromHere = relative(dir, resolve(cwd, named)).split(sep).join("/");
  return isAbsolute(named) ? [fromHere] : [named.split(sep).join("/").replace(/^\.\//, ""), fromHere];
}

function notRecorded(named: string): TapedeckError {
  return createTapedeckError("tapedeck_cassette", localize('There is no recording "{0}".', named), {
    hint: localize("Use the path of a recording, or the first digits of its key. See: tapedeck list"),
  });
}

function ambiguous(named: string, fitting: readonly RecordingAddress[]): TapedeckError {
  const names = [...new Set(fitting.map(({ provider, key }) => `${getKeyDigits(key)} (${provider})`))];
  return createTapedeckError(
    "tapedeck_cassette",
    localize('"{0}" matches several recordings: {1}.', named, formatNames(names, 5)),
    {
      hint: localize("Use more digits of the key, or the path."),
    },
  );
}
