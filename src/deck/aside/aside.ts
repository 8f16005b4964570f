import type { BudgetRules } from "../../core/budget/budget.ts";
import type { Call } from "../../core/call.ts";
import type { ProjectConfig } from "../../core/config/config.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import type { RequestOfCall, RequestReaderParts } from "../../core/read-request.ts";
import type { KeepingParts } from "../../core/source/keep.ts";
import type { FolderAside } from "../../storage/folder/folder-store.ts";
import type { RedactsAside } from "../../storage/local/project-secrets.ts";
import type { RecordedFacts } from "../../core/run-record/recorded-facts.ts";
import type { PlainCall, ReadRecording, Setting } from "./jobs.ts";
import type { RequestIndexParts } from "../../core/match/nearest/request-index.ts";
import type { RecordedRequests } from "../../core/match/nearest/recorded-requests.ts";
import { notedSecrets } from "../../storage/local/own-scanner.ts";
import { asideProgram, createThread, type DoAside } from "./thread.ts";

/** What is done aside for a deck: all that takes long with large bodies. */
export interface Aside {
  readonly ofStore: {
    readonly aside: FolderAside;
    readonly noteAside: NonNullable<RequestIndexParts["noteAside"]>;
  };
  readonly ofEngine: Required<
    Pick<RequestReaderParts, "readAside"> &
      Pick<KeepingParts, "judgeAside"> &
      Pick<BudgetRules, "chargeAside" | "mostAside">
  >;
  readonly redact: RedactsAside;
  readonly facts: (read: ReadRecording) => Promise<RecordedFacts>;
  /** As `RecordedRequests.nearest`; undefined where recordings lie elsewhere than in a folder. */
  readonly nearest: RecordedRequests["nearest"] | undefined;
}

/** By their programs: all decks of a process share one. */
const threads = new Map<string, DoAside>();

/** What of a deck's options the work depends on. */
interface AsideOptions extends Omit<Setting, "normalise" | "allowSecrets" | "secrets"> {
  readonly dir: string;
  readonly team?: boolean;
  readonly store?: unknown;
  readonly asideProgram?: string;
}

/** Undefined where there is no program for a thread: then long work is done where it comes up, in steps where it has some. */
export function openAside(
  { dir, team = true, store, asideProgram: program = asideProgram(), ...places }: AsideOptions,
  config: () => ProjectConfig,
): Aside | undefined {
  if (program === undefined) return undefined;
  const run = threads.get(program) ?? createThread(program);
  threads.set(program, run);
  const setting = (): Setting => {
    const { upstreams, ownUpstreams, recorded } = places;
    const { normalise, allowSecrets } = config();
    const given = { upstreams, ownUpstreams, recorded, secrets: notedSecrets() };
    return { ...given, normalise, ...pickDefined({ allowSecrets }) };
  };
  const nearest: Aside["nearest"] = ({ call, headers }) => {
    const exchange = { call: plainCall(call), ...pickDefined({ headers }) };
    return run("nearest", setting(), { dir, team, exchange });
  };
  return {
    ofStore: {
      aside: {
        encode: (recording) => run("encode", setting(), recording),
        decode: (file) => run("decode", setting(), file),
      },
      noteAside: (described) => run("note", setting(), described),
    },
    ofEngine: engineAside(run, setting),
    redact: (call, named) => run("redact", setting(), { call: plainCall(call), named }),
    facts: (read) => run("facts", setting(), read),
    nearest: store === undefined ? nearest : undefined,
  };
}

function engineAside(run: DoAside, setting: () => Setting): Aside["ofEngine"] {
  return {
    readAside: (call) => run("readRequest", setting(), requestOf(call)),
    async judgeAside({ parts, exchange, tape, ...ended }) {
      const { call, sent, key, exactKey, facts, headers } = exchange;
      const { secrets, record, clock } = parts;
      const { failed, fault, over, sizeBytes, terminal, waitsMs } = tape;
      return run("judge", setting(), {
        type: ended.type,
        framing: ended.framing,
        cutOff: ended.cutOff,
        followsTake: ended.followsTake,
        incoming: { status: ended.incoming.status, headers: ended.incoming.headers },
        exchange: { key, facts, call: plainCall(call), ...pickDefined({ exactKey, headers }) },
        sent: plainCall(sent),
        tape: { failed, fault, over, sizeBytes, terminal, waitsMs, bytes: tape.body() },
        recordedAt: clock.date(),
        record: record?.() ?? {},
        policy: secrets?.policy() ?? "allow",
        named: secrets?.named(sent.provider),
      });
    },
    chargeAside: ({ call, facts }, answered, prices) =>
      run("charge", setting(), { exchange: { call: plainCall(call), facts }, answered, prices }),
    mostAside: ({ call, sent, facts }, prices) =>
      run("most", setting(), { exchange: { call: plainCall(call), facts }, sent: plainCall(sent), prices }),
  };
}

function requestOf({ provider, method, path, headers, contentType, body }: RequestOfCall): RequestOfCall {
  return { provider, method, path, headers, body, ...pickDefined({ contentType }) };
}

function plainCall({
  provider,
  method,
  path,
  headers,
  contentType,
  body,
  token,
  origin,
  test,
}: Call): PlainCall {
  return { provider, method, path, headers, body, ...pickDefined({ contentType, token, origin, test }) };
}
