import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { BudgetRules, PaidCall } from "../core/answer/budget/budget.ts";
import { isCi, createNotPaidInCi, createOtherUpstream } from "../core/answer/budget/limits.ts";
import type { Recording, RecordingAddress } from "../core/cassette/recording.ts";
import { findTakeIndex } from "../core/cassette/address.ts";
import type { WatchedStore } from "../core/cassette/store.ts";
import {
  describeRecording,
  describeRequest,
  type RecordingView,
  type RequestView,
  describeReply,
} from "../core/view/describe.ts";
import {
  readOperationRequest,
  readRuledRequest,
  type DescribedRequest,
  type OperationRequest,
} from "../core/match/read-request.ts";
import type { TapedeckError } from "../core/base/errors.ts";
import type { PlannedMiss, RulesPlan } from "../core/match/rules/plan-rules.ts";
import { computeKey, type Normalizer } from "../core/match/key/key.ts";
import { createEngine, type Engine, type EngineParts } from "../core/answer/engine.ts";
import type { Difference, Disposable, MadeUp, Miss, Mode, Run, TestRef } from "../core/call/call.ts";
import { createEngineFetch } from "../core/answer/fetch.ts";
import { listDifferences } from "../core/match/differences/differences.ts";
import { readRecordedFacts, type NotedTiming } from "../core/view/run-record/recorded-facts.ts";
import type { RecordedFacts } from "../core/view/run-record/run-record.ts";
import { describeRecordingOfMiss } from "../core/view/miss.ts";
import {
  createStreamsUnderWay,
  endStreams,
  type StreamsUnderWay,
} from "../core/answer/source/streams-under-way.ts";
import type { ReplyDraft } from "../core/protocol/base/protocol.ts";
import { listRecordedProviders, readRecordedOrigin } from "../storage/folder/recorded-providers.ts";
import { createProviders, type ProviderTable } from "../core/protocol/registry.ts";
import { createRun } from "../core/answer/runs.ts";
import { composeRecording, createAdmit } from "./admit.ts";
import { listen, type ListenOptions, type ReplayServer } from "../server/server.ts";
import type { ChainParts } from "../core/answer/source/renew-call.ts";
import type { WarnedOf } from "../core/answer/source/save.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import { computeSha256 } from "../storage/folder/read-file.ts";
import { createListeners } from "../core/call/listeners.ts";
import { clock } from "./clock.ts";
import { createRuleNames, type RuleNames } from "../storage/names/rule-names.ts";
import { createMocks, type DeckMocks } from "./stand-in.ts";
import { expectFolder, openProject, readRecordedHosts, type DeckProject } from "./project.ts";
import { openStore, type OpenStore } from "./open-store.ts";
import type { Connect } from "../core/answer/source/source.ts";
import type { DeckOptions } from "./deck-options.ts";
import type { DeckTeam } from "./team.ts";
import type { OnCached } from "../server/cache-notes.ts";
import type { CachedCallsParts } from "./cached-call-events.ts";

/** A message for a person that does not belong to a failed call. */
export interface Notice {
  readonly level: "info" | "warning" | "error";
  readonly message: string;
  /** Why the folder cannot be written. The next recording will fail for the same reason. */
  readonly unwritable?: TapedeckError;
}

/** A recording that answered a call, with facts that its file does not contain. */
export interface ReadRecording {
  readonly recording: Recording;
  /** Present if the recording names no model. */
  readonly model?: string | undefined;
  readonly noted?: NotedTiming | undefined;
}

/** The parts combined: one store, one engine, and any number of runs and servers. */
export interface Deck {
  readonly dir: string;
  readonly engine: Engine;
  readonly store: WatchedStore;
  /** Facts of these recordings, in their order. A file is read only if it changed since its facts were noted. */
  readonly readFacts: OpenStore["readFacts"];
  /** Absent without a team's cache and without downloads from one. */
  readonly team?: DeckTeam;
  readonly providers: ProviderTable;
  /** `tapedeck.jsonc` beside the folder. Every call checks it for changes; `reload()` does so at once. */
  readonly project: DeckProject;
  /** Names of recordings under the rules of the project. */
  readonly names: RuleNames;
  createRun(mode: Mode, test?: TestRef): Run;
  /** For SDKs in this process: `new OpenAI({ fetch: deck.fetch(run) })`. */
  fetch(run: Run): typeof globalThis.fetch;
  /** @throws TapedeckError `tapedeck_usage` if the port is taken. */
  listen(options?: Partial<Omit<ListenOptions, "engine" | "providers">>): Promise<ReplayServer>;
  /** @throws TapedeckError if the recorded request cannot be read. */
  describe(recording: Recording): RecordingView;
  describeRequest(described: DescribedRequest): RequestView;
  /** Returns the facts that a recording adds to its call. Prices are the user's own, or else the built-in list. */
  factsOf(read: ReadRecording): RecordedFacts;
  /** Returns the differences between the two requests. */
  compare(recorded: DescribedRequest, asked: DescribedRequest): readonly Difference[];
  /** Returns the recording that would answer a missed call now. The rules can have changed since the miss. */
  answerTo(miss: Miss): RecordingAddress | undefined;
  /**
   * Plans rules under which the nearest recordings answer missed calls, as far as rules can. Reads every recording.
   */
  planRules(missed: readonly PlannedMiss[]): Promise<RulesPlan>;
  /** Whether a rule can be proposed for a difference from the nearest recording. Reads no other recording. */
  hasRules(missed: PlannedMiss, nearest: Recording): Promise<boolean>;
  /** Returns the view of a made-up answer, as if it were recorded. */
  describeMadeUp(madeUp: MadeUp): RecordingView;
  /** Returns a recording that answers a missed call with a handwritten reply. It is not saved. */
  compose(miss: Miss, draft: ReplyDraft): Recording;
  /**
   * Removes the secrets that the project redacts from a recording that no call made.
   * @throws `tapedeck_refused`, which names other secrets and their positions
   */
  admit(recording: Recording): Promise<Recording>;
  onNotice(listener: (notice: Notice) => void): Disposable;
  /** Ends the servers, and resolves when all writes are finished. */
  close(): Promise<void>;
}

/** Clock and hash function of this machine. */
const OF_MACHINE = { clock, sha256: computeSha256 };

/** Opens no socket, reads no recording and creates no folder. @throws TapedeckError for an upstream that is not allowed. */
export function openDeck(options: DeckOptions): Deck {
  expectFolder(options);
  const { dir, timing = "none" } = options;
  const providers = createDeckProviders(options);
  const notices = createListeners<Notice>();
  const notify = (notice: Notice): void => notices.notify(notice);
  const warn = (message: string, about?: WarnedOf): void => notify({ level: "warning", message, ...about });
  const project = openProject(options, notify);
  const parts = { project, warn, providers };
  const { findNearest, close, store, readFacts, team, tidy } = openStore(options, parts);
  const names = createRuleNames({ dir, store, project, notify });
  project.prepareWith(names.prepare);
  const mocks = createMocks(project);
  const [servers, streams] = [new Set<ReplayServer>(), createStreamsUnderWay()];
  const engine: Engine = createEngine({
    store,
    fetchMissing: options.fetchMissing ?? team?.fetchMissing,
    providers,
    ...OF_MACHINE,
    timing,
    ...project.forEngine,
    ...mocks.sources,
    findNearest,
    warn,
    secrets: project.secrets,
    ...openingWith(options),
    streams,
    ...sendingOf(options, providers, () => engine),
  });
  return {
    dir,
    engine,
    store,
    readFacts,
    ...pickDefined({ team }),
    providers,
    project,
    names,
    createRun: newRun,
    fetch: (run) => createEngineFetch(engine, providers, run, process.env["TAPEDECK_URL"]),
    listen: (listening) =>
      listenFor({ ...parts, engine, notify, servers, mocks, tidy }, { dir: resolve(dir), ...listening }),
    ...describing(providers, options),
    ...aboutMisses(store, project.forEngine.normalizer),
    ...byHand(providers, project),
    onNotice: (listener) => notices.add(listener),
    close: () => end({ servers, streams, warn, close }),
  };
}

function createDeckProviders({ dir, upstreams, ownUpstreams }: DeckOptions): ProviderTable {
  return createProviders(upstreams, ownUpstreams, listRecordedProviders(dir), readRecordedHosts(dir));
}

interface ClosingParts {
  readonly servers: ReadonlySet<ReplayServer>;
  readonly streams: StreamsUnderWay;
  readonly warn: (message: string) => void;
  readonly close: () => Promise<void>;
}

async function end({ servers, streams, warn, close }: ClosingParts): Promise<void> {
  await Promise.all([...servers].map((server) => server.close()));
  await endStreams(streams, clock, warn);
  await close();
}

const newRun: Deck["createRun"] = (mode, test) =>
  createRun({ id: randomUUID().slice(0, 8), mode, startedAt: clock.now(), ...pickDefined({ test }) });

function describing(
  providers: ProviderTable,
  { prices }: DeckOptions,
): Pick<Deck, "describe" | "describeRequest" | "factsOf"> {
  return {
    describe: (recording) => describeRecording(recording, providers, valueNow(prices)),
    describeRequest: (described) => describeRequest(described, providers),
    factsOf: ({ recording, noted, ...known }) =>
      readRecordedFacts(
        describeReply(recording, providers, { ...known, prices: valueNow(prices) ?? {} }),
        noted,
      ),
  };
}

function sendingOf(
  { dir, limits, prices, keepChain = false, beforePaidCall = refusePaidInCi }: DeckOptions,
  providers: ProviderTable,
  engine: () => Engine,
): Omit<BudgetRules, "warn"> & Pick<ChainParts, "keepsChain" | "note"> {
  return {
    keepsChain: () => keepChain,
    note: (run, call) => engine().note(run, call),
    limits: () => valueNow(limits),
    prices: () => valueNow(prices),
    beforePaidCall: async (call) => sentElsewhere(call, dir, providers) ?? (await beforePaidCall(call)),
  };
}

/**
 * Returns the reason not to send a call: its provider's recordings came from a gateway that is not configured this
 * time.
 */
function sentElsewhere(
  { provider: name, origin }: PaidCall,
  dir: string,
  providers: ProviderTable,
): TapedeckError | undefined {
  const { isUsersOwn, upstream } = providers.get(name) ?? {};
  if (isUsersOwn === true || origin !== undefined || upstream === undefined) return undefined;
  const recorded = readRecordedOrigin(dir, name);
  return recorded === undefined ? undefined : createOtherUpstream(name, recorded, upstream);
}

function valueNow<T extends object>(given: T | (() => T) | undefined): T | Record<string, never> {
  return (typeof given === "function" ? given() : given) ?? {};
}

/** In CI no person can stop a program that spends money, so paid calls need an explicit command. */
export async function refusePaidInCi({
  provider,
}: Pick<PaidCall, "provider">): Promise<TapedeckError | undefined> {
  return isCi(process.env) ? createNotPaidInCi(provider) : undefined;
}

/** Loads the code that opens connections when a call first needs it. */
const connect = async () => (await import("../server/upstream/connect.ts")).connect;
const sockets = () => import("../server/sockets/sockets.ts");
/** Sends the calls to an address to a function of this process, and the others over the network. */
const connectBeside =
  ({ address, connect: answer }: NonNullable<DeckOptions["inProcess"]>): Connect =>
  async (request) =>
    request.url.startsWith(address) ? answer(request) : (await connect())(request);

type ConnectionParts = Pick<EngineParts, "connect" | "connectSocket" | "answerSession">;
const openingWith = ({ inProcess }: DeckOptions): ConnectionParts => ({
  connect: inProcess ? async () => connectBeside(inProcess) : connect,
  async connectSocket() {
    const { createSocketOptions } = await import("../server/upstream/connect.ts");
    return (await sockets()).createSocketConnector(createSocketOptions);
  },
  answerSession: async (...session) => (await sockets()).answerSession(...session),
});

interface ServerParts {
  readonly engine: Engine;
  readonly notify: (notice: Notice) => void;
  readonly servers: Set<ReplayServer>;
  readonly providers: ProviderTable;
  readonly mocks: DeckMocks;
  readonly tidy: OpenStore["tidy"];
  readonly project: Pick<DeckProject, "secrets">;
}

async function listenFor(
  { engine, notify, servers, providers, mocks, tidy, project: { secrets } }: ServerParts,
  options: NonNullable<Parameters<Deck["listen"]>[0]>,
): Promise<ReplayServer> {
  const onRefusal = (error: Error): void => notify({ level: "warning", message: error.message });
  const tidied = tidy();
  const server = await listen({
    engine,
    providers,
    onCached: loadCachedCallsLater({ engine, providers, secrets, roots: options.roots ?? [] }),
    connect,
    ...options,
    onRefusal,
    onMock: (run, request) => mocks.control(run, request),
  });
  servers.add(server);
  await tidied;
  return server;
}

function aboutMisses(
  store: OpenStore["store"],
  normalizer: () => Normalizer | undefined,
): Pick<Deck, "answerTo" | "compare" | "planRules" | "hasRules"> {
  const asKeyed = (described: DescribedRequest): OperationRequest =>
    readRuledRequest(described, normalizer());
  return {
    compare: (recorded, asked) => listDifferences(asKeyed(recorded), asKeyed(asked)),
    answerTo(miss) {
      const key = computeKey(readOperationRequest(miss), computeSha256, normalizer());
      const takes = store.takes(miss.provider, key);
      const index = miss.number === undefined ? 0 : findTakeIndex(takes, miss.number);
      return index === undefined ? undefined : takes[index];
    },
    async planRules(missed) {
      const { planRules } = await import("../core/match/rules/plan-rules.ts");
      return planRules(missed, { store, normalize: normalizer() });
    },
    async hasRules(missed, nearest) {
      const { hasRules } = await import("../core/match/rules/plan-rules.ts");
      return hasRules(missed, nearest, normalizer());
    },
  };
}

function byHand(
  providers: ProviderTable,
  project: DeckProject,
): Pick<Deck, "compose" | "admit" | "describeMadeUp"> {
  return {
    admit: createAdmit(project, providers),
    describeMadeUp: ({ call, reply }) =>
      describeRecording(
        describeRecordingOfMiss(call, reply, { recordedAt: new Date().toISOString() }),
        providers,
      ),
    compose: (miss, draft) => composeRecording(miss, draft, providers),
  };
}

/** Turns the notes of MetaGPT's hook into call events; the first note loads what that takes. */
function loadCachedCallsLater(parts: CachedCallsParts): OnCached {
  let loaded: Promise<OnCached> | undefined;
  return async (note) => {
    loaded ??= import("./cached-call-events.ts").then(({ createCachedCalls }) => createCachedCalls(parts));
    await (
      await loaded
    )(note);
  };
}
