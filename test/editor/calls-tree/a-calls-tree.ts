import { readEntry } from "../../../src/core/cassette/address.ts";
import { createHash } from "node:crypto";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import type { WatchedStore } from "../../../src/core/cassette/store.ts";
import type { CallEvent, Miss, TestRef } from "../../../src/core/call/call.ts";
import { describeRecording, describeRequest } from "../../../src/core/view/describe.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { SessionModel } from "../../../src/editor/session/session-model.ts";
import type { RowSources } from "../../../src/editor/calls-tree/call-rows-model.ts";
import { type CallsModel, createCallsModel } from "../../../src/editor/calls-tree/calls-model.ts";
import { type IndexSources, RecordingIndex } from "../../../src/editor/calls/recording-index-model.ts";
import { createMemoryStore } from "../../../src/storage/memory-store.ts";
import { aRecording, bytes } from "../../support/a-recording.ts";
import type { CallNode } from "../../../src/editor/calls/call-node-model.ts";

export const NOW = Date.UTC(2026, 0, 5, 12);

/** A folder in memory, what the session knows of it, and the tree over both. `read` lists what was read. */
export interface CallsUnderTest {
  readonly store: WatchedStore;
  readonly session: SessionModel;
  readonly index: RecordingIndex;
  readonly model: CallsModel;
  readonly read: readonly string[];
}

export function aCallsTree(
  options: {
    readonly keep?: NonNullable<IndexSources["keep"]>;
    readonly store?: WatchedStore;
    /** Existing entries; default: those of the store. */
    readonly has?: IndexSources["has"];
    readonly caches?: NonNullable<RowSources["caches"]>;
    readonly isOff?: NonNullable<RowSources["isOff"]>;
  } = {},
): CallsUnderTest {
  const { store = createMemoryStore(), keep, caches, isOff, has = hasTake(store) } = options;
  const providers = createProviders();
  const session = new SessionModel();
  const read: string[] = [];
  const index = new RecordingIndex({
    store: {
      list: () => store.list(),
      takes: (provider, key) => store.takes(provider, key),
      watch: (listener) => store.watch(listener),
      read(entry) {
        read.push(entry);
        return store.read(entry);
      },
    },
    has,
    describe: (recording) => describeRecording(recording, providers),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    ...(keep && { keep }),
  });
  const model = createCallsModel({
    index,
    state: () => session,
    describeMissing: ({ miss }) => describeRequest(miss, providers),
    ...(caches && { caches }),
    ...(isOff && { isOff }),
    now: () => NOW,
  });
  return { store, session, index, model, read };
}

function hasTake(store: WatchedStore): IndexSources["has"] {
  return (entry) => {
    const address = readEntry(entry);
    if ("wrong" in address) return false;
    return store.takes(address.provider, address.key).some((take) => take.entry === entry);
  };
}

interface OpenNode {
  readonly node: CallNode;
  readonly depth: number;
}

/** Returns the rows of the tree from top to bottom, with the rows open that `opens` selects. */
export async function openNodes(
  model: Pick<CallsModel, "roots">,
  opens: (node: CallNode) => boolean = () => true,
): Promise<readonly OpenNode[]> {
  const all: OpenNode[] = [];
  const add = async (nodes: readonly CallNode[], depth: number): Promise<void> => {
    for (const node of nodes) {
      all.push({ node, depth });
      if (node.expand !== "never" && opens(node)) await add(await node.children(), depth + 1);
    }
  };
  await add(await model.roots(), 0);
  return all;
}

/** Returns the open rows as text; each starts with its icon. */
export const treeText = async (...of: Parameters<typeof openNodes>): Promise<readonly string[]> =>
  (await openNodes(...of)).map(({ node: { icon = "-", label, description }, depth }) =>
    `${"  ".repeat(depth)}${icon} ${label}  ${description}`.trimEnd(),
  );

export function aTest(file: string, ...name: readonly string[]): TestRef {
  return { file, name };
}

interface Chat {
  readonly reply?: string;
  readonly test?: TestRef;
  readonly provider?: string;
  readonly model?: string;
  readonly recordedAt?: string;
  readonly status?: number;
}

/** A recorded chat with its reply and 23 tokens. */
export function aChat(question: string, chat: Chat = {}): Recording {
  const {
    reply = "Fine.",
    test,
    provider = "openai",
    model = "gpt-4o-mini",
    recordedAt = "2026-01-02T12:00:00Z",
    status = 200,
  } = chat;
  const asked = { model, messages: [{ role: "user", content: question }] };
  const answered = {
    id: "chatcmpl-1",
    object: "chat.completion",
    model,
    choices: [{ index: 0, message: { role: "assistant", content: reply }, finish_reason: "stop" }],
    usage: { prompt_tokens: 21, completion_tokens: 2, total_tokens: 23 },
  };
  const recording = aRecording({
    provider,
    request: { body: bytes(JSON.stringify(asked)) },
    reply: { status, body: bytes(JSON.stringify(answered)) },
    ...(test && { test }),
  });
  return { ...recording, model, recordedAt };
}

export function aMiss(question: string, nearest?: Miss["nearest"]): Miss {
  const { key, provider, operation, request } = aChat(question);
  const label = question.split("\n")[0] ?? "";
  return {
    key,
    provider,
    operation,
    model: "gpt-4o-mini",
    label,
    request,
    message: "",
    ...(nearest && { nearest }),
  };
}

let events = 0;

/** A call event that the session receives. */
export function anEvent(event: Partial<CallEvent> & Pick<CallEvent, "outcome">): CallEvent {
  events += 1;
  return {
    id: events,
    at: NOW,
    ms: 1,
    run: "r1",
    mode: "strict",
    provider: "openai",
    operation: "chat.completions",
    label: "a call",
    key: event.miss?.key ?? `sha256:${createHash("sha256").update(String(events)).digest("hex")}`,
    entry: null,
    ...event,
  };
}
