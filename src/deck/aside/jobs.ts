import { chargeOf, type Answered } from "../../core/budget/charge.ts";
import { mostOf, type Most } from "../../core/budget/most.ts";
import type { Spending } from "../../core/budget/spending.ts";
import type { Call, Nearest } from "../../core/call.ts";
import { readEntry } from "../../core/cassette/address.ts";
import type { NamedParameters } from "../../core/cassette/credentials.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import type { ProjectConfig, RecordRules } from "../../core/config/config.ts";
import { describeReply, type DescribedRequest } from "../../core/describe.ts";
import { computeKey } from "../../core/match/key/key.ts";
import type { NotedRequest } from "../../core/match/nearest/feature-notes.ts";
import { noteOf } from "../../core/match/nearest/request-index.ts";
import { loadPatterns } from "../../core/match/rules/patterns.ts";
import { providerAt } from "../../core/protocol/origin.ts";
import type { OwnUpstreams } from "../../core/protocol/own-upstreams.ts";
import { createProviders } from "../../core/protocol/registry.ts";
import {
  factsOfRecording,
  type NotedTiming,
  type RecordedFacts,
} from "../../core/run-record/recorded-facts.ts";
import {
  protocolRequest,
  readRequest,
  type KnownRequest,
  type RequestOfCall,
} from "../../core/read-request.ts";
import { scanOfCall, type Secrets } from "../../core/secrets/guard.ts";
import { noteSecrets, ownScanner } from "../../storage/local/own-scanner.ts";
import type { SecretsPolicy } from "../../core/secrets/policy.ts";
import { shownPlaces } from "../../core/secrets/redact-call.ts";
import { judge, type EndedAnswer, type Judgement } from "../../core/source/judge.ts";
import type { Exchange } from "../../core/source/source.ts";
import { decodeFile, type DecodesAside } from "../../storage/folder/recording-reader.ts";
import { encodeFile, type EncodedRecording } from "../../storage/folder/recording-writer.ts";
import { sha256 } from "../../storage/folder/sha256.ts";
import { openStore, type OpenStore } from "../open-store.ts";
import { compileProject } from "../../storage/local/project-file.ts";
import type { OwnPrices } from "../../core/budget/own-prices.ts";

/** What the work on a deck's calls depends on besides the calls: plain values, so that they can be sent. */
export interface Setting extends Pick<ProjectConfig, "normalise" | "allowSecrets"> {
  readonly upstreams?: Readonly<Record<string, string>> | undefined;
  readonly ownUpstreams?: OwnUpstreams | undefined;
  readonly recorded: readonly string[];
  /** What is a secret whatever it looks like, besides what the environment names. */
  readonly secrets: readonly string[];
}

/** A call as it can be sent. */
export type PlainCall = Omit<Call, "run" | "signal" | "base">;

/** What is known of a call and told to whoever judges its answer: its provider and protocol follow from the call. */
export type PlainExchange = Omit<Exchange, "call" | "sent" | "provider" | "protocol" | "ordinal"> & {
  readonly call: PlainCall;
};

/** An ended answer as it can be sent. */
export interface PlainAnswer extends Omit<EndedAnswer, "parts" | "exchange" | "tape"> {
  readonly exchange: PlainExchange;
  /** The call as it came. */
  readonly sent: PlainCall;
  readonly tape: Omit<EndedAnswer["tape"], "body"> & { readonly bytes: Uint8Array };
  readonly recordedAt: string;
  readonly record: RecordRules;
  readonly policy: SecretsPolicy;
  readonly named: NamedParameters;
}

/** The long work that large bodies make. Each is a function of what it is given: it can be done anywhere. */
export interface Jobs {
  redact(
    setting: Setting,
    asked: { readonly call: PlainCall; readonly named: NamedParameters },
  ): Promise<PathAndBody>;
  readRequest(setting: Setting, call: RequestOfCall): Promise<KnownRequest>;
  judge(setting: Setting, answer: PlainAnswer): Promise<Judgement>;
  charge(setting: Setting, charged: PlainCharged): Promise<Spending>;
  most(setting: Setting, asking: PlainAsking): Promise<Most>;
  facts(setting: Setting, read: ReadRecording): Promise<RecordedFacts>;
  nearest(setting: Setting, missed: PlainMissed): Promise<Nearest | undefined>;
  note(setting: Setting, described: DescribedRequest): Promise<NotedRequest>;
  encode(setting: Setting, recording: Recording): Promise<EncodedRecording>;
  decode(setting: Setting, file: Parameters<DecodesAside>[0]): Promise<Recording>;
}

type PathAndBody = Pick<Call, "path" | "body">;

export interface PlainCharged {
  readonly exchange: Pick<PlainExchange, "call" | "facts">;
  readonly answered: Answered;
  readonly prices: OwnPrices;
}

export interface PlainAsking {
  readonly exchange: Pick<PlainExchange, "call" | "facts">;
  /** The call as it came. */
  readonly sent: PlainCall;
  readonly prices: OwnPrices;
}

/** A recording whose answer is to be told of. */
export interface ReadRecording {
  readonly recording: Recording;
  readonly prices: OwnPrices;
  /** Where the recording names none. */
  readonly model?: string | undefined;
  readonly noted?: NotedTiming | undefined;
}

export interface PlainMissed {
  readonly dir: string;
  /** Whether what came from a team counts. */
  readonly team: boolean;
  readonly exchange: Pick<PlainExchange, "call" | "headers">;
}

export const jobs: Jobs = {
  async redact(setting, { call, named }) {
    const { allowsSecret } = await compileOnce(setting);
    const scan = scanOfCall(await ownScanner(allowsSecret), call.path, named);
    return shownPlaces(call, scan, named);
  },
  async readRequest(setting, call) {
    const { providers, normaliser } = await compileOnce(setting);
    const {
      protocol,
      provider: _,
      ...read
    } = readRequest(call, providers.protocolFor(call), { providers, sha256, normalise: normaliser });
    if (read.exactKey !== undefined) return read;
    const { operation } = protocol;
    const asked = { ...protocolRequest({ call, protocol }), operation, headers: read.headers ?? [] };
    return { ...read, exactKey: computeKey(asked, sha256) };
  },
  async judge(
    setting,
    { exchange, sent, tape: { bytes, ...tape }, recordedAt, record, policy, named, ...ended },
  ) {
    const { allowsSecret } = await compileOnce(setting);
    const secrets: Secrets = {
      policy: () => policy,
      scan: () => ownScanner(allowsSecret),
      redact: undefined,
      named: () => named,
    };
    const parts = { clock: { date: () => recordedAt }, secrets, record: () => record };
    const whole = { ...(await exchangeOf(setting, exchange)), sent: liveCall(sent) };
    return judge({ ...ended, parts, exchange: whole, tape: { ...tape, body: () => bytes } });
  },
  async charge(setting, { exchange, answered, prices }) {
    return chargeOf(await exchangeOf(setting, exchange), answered, prices);
  },
  async most(setting, { exchange, sent, prices }) {
    return mostOf({ ...(await exchangeOf(setting, exchange)), sent: liveCall(sent) }, prices);
  },
  async facts(setting, { recording, noted, ...known }) {
    return factsOfRecording(describeReply(recording, (await compileOnce(setting)).providers, known), noted);
  },
  async nearest(setting, { exchange, ...folder }) {
    const { recorded } = await openedStore(setting, folder);
    return recorded.nearest(await exchangeOf(setting, exchange));
  },
  async note(setting, described) {
    return noteOf(described, (await compileOnce(setting)).normaliser);
  },
  async encode(_, recording) {
    const { text, ...file } = encodeFile(recording);
    return { ...file, text: Buffer.from(text) };
  },
  async decode(_, { bytes, entry, dir, wanted }) {
    const address = readEntry(entry);
    if ("wrong" in address) throw new Error(`${entry}: ${address.wrong}`);
    const decoded = decodeFile(bytes, address, { dir, wanted });
    const { method, path } = decoded.request;
    return wanted === "all" ? decoded : { ...decoded, request: { method, path, body: new Uint8Array() } };
  },
};

async function exchangeOf<T extends { readonly call: PlainCall }>(setting: Setting, exchange: T) {
  const { providers } = await compileOnce(setting);
  const call = liveCall(exchange.call);
  const found = providers.protocolFor(call);
  if (found === undefined) throw new Error(`no provider is called ${call.provider}`);
  const provider = call.origin === undefined ? found.provider : providerAt(call.origin, found.provider);
  return { ...exchange, call, provider, protocol: found.protocol };
}

/** No work asks for a run, or whether the client is there. */
const liveCall = (call: PlainCall): Call => call as Call;

let known: { readonly name: string; readonly compiled: ReturnType<typeof compile> } | undefined;

/** What a setting means, made once for as long as it is the same. */
function compileOnce(setting: Setting): ReturnType<typeof compile> {
  const name = JSON.stringify(setting);
  if (known?.name !== name) known = { name, compiled: compile(setting) };
  return known.compiled;
}

let opened: { readonly name: string; readonly store: OpenStore } | undefined;

/** Recordings as this thread finds them, for as long as it is asked about the same ones. */
async function openedStore(setting: Setting, folder: Omit<PlainMissed, "exchange">): Promise<OpenStore> {
  const name = JSON.stringify([setting, folder]);
  if (opened?.name === name) return opened.store;
  void opened?.store.close();
  const { normaliser } = await compileOnce(setting);
  const current = { config: { normalise: setting.normalise } };
  const project = { current, asked: { normaliser: () => normaliser } };
  const store = openStore(folder, { project, warn: () => {} });
  opened = { name, store };
  return store;
}

async function compile({ upstreams, ownUpstreams, recorded, secrets, ...rules }: Setting) {
  noteSecrets(secrets);
  return {
    providers: createProviders(upstreams, ownUpstreams, recorded),
    ...compileProject(rules, await loadPatterns()),
  };
}
