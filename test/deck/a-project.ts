import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { CallEvent, Mode, Run } from "../../src/core/call/call.ts";
import { openDeck, type Deck, type Notice } from "../../src/deck/deck.ts";
import type { DeckOptions } from "../../src/deck/deck-options.ts";
import { aRecording, bytes } from "../support/a-recording.ts";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";

export interface RequestOptions {
  readonly mode?: Mode;
  /** Default: openai. */
  readonly provider?: string;
  readonly path?: string;
  /** Default: a new run. */
  readonly run?: Run;
}

export interface Project {
  readonly root: string;
  readonly dir: string;
  /** Writes `tapedeck.jsonc` and renames recordings by its rules, as the editor does. */
  say(config: unknown): Promise<void>;
  /** Writes its very text. */
  write(text: string): Promise<void>;
  /** A call with this body, whose reply is not read yet. */
  post(
    body: unknown,
    asked?: RequestOptions,
  ): Promise<{ readonly reply: Response; readonly event: Promise<CallEvent> }>;
  /** What became of a call with this body. */
  ask(body: unknown, asked?: RequestOptions): Promise<CallEvent & { readonly text: string }>;
  /** A recording of this body, made while there were no rules. */
  record(body: unknown, text: string, recordedAt?: string): Promise<string>;
  readonly deck: Deck;
  readonly notices: readonly Notice[];
}

/** A project in a new temporary folder, with a deck on its cassette folder. */
export function aProject(options: Partial<DeckOptions> = {}): Project {
  const root = mkdtempSync(join(tmpdir(), "tapedeck-rules-"));
  const dir = join(root, ".tapedeck");
  mkdirSync(dir);
  const deck = openDeck({ dir, ...options });
  const notices: Notice[] = [];
  deck.onNotice((notice) => notices.push(notice));
  onTestFinished(async () => {
    await deck.close();
    rmSync(root, { recursive: true, force: true });
  });
  const write = async (text: string): Promise<void> => {
    writeFileSync(join(root, "tapedeck.jsonc"), text);
    await deck.project.reload();
  };
  const post: Project["post"] = async (body, asked = {}) => {
    const { mode = "strict", provider = "openai", path = "/v1/chat/completions" } = asked;
    const event = nextCall(deck);
    const reply = await deck.fetch(asked.run ?? deck.createRun(mode))(
      `${deck.providers.get(provider)?.upstream}${path}`,
      { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    );
    return { reply, event };
  };
  return {
    root,
    dir,
    deck,
    notices,
    write,
    async say(config) {
      await write(JSON.stringify(config));
      await deck.names.rename();
    },
    post,
    async ask(body, asked) {
      const { reply, event } = await post(body, asked);
      const text = await reply.text();
      return { ...(await event), text };
    },
    async record(body, text, recordedAt = "2026-01-02T03:04:05.678Z") {
      const recording = aRecording({
        request: { body: bytes(JSON.stringify(body)) },
        reply: { body: bytes(JSON.stringify({ text })) },
      });
      const { entry } = await createFolderStore(dir).save({ ...recording, recordedAt });
      return entry;
    },
  };
}

/** What becomes of the next call. */
export function nextCall({ engine }: Deck): Promise<CallEvent> {
  return new Promise((resolve) => {
    const listening = engine.onCall((event) => (listening.dispose(), resolve(event)));
  });
}

/** A chat completions request with these texts, of user and assistant by turns. */
export function chatOf(texts: readonly string[], more: Readonly<Record<string, unknown>> = {}): unknown {
  const messages = texts.map((content, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content,
  }));
  return { model: "gpt-4o-mini", messages, ...more };
}
