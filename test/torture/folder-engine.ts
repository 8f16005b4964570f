import { createLenientReplies } from "../../src/client/stand-in/lenient.ts";
import { createEngine, type Engine } from "../../src/core/answer/engine.ts";
import { createProviders } from "../../src/core/protocol/registry.ts";
import type { Secrets } from "../../src/core/secrets/guard.ts";
import type { IncomingReply } from "../../src/core/answer/source/source.ts";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { sha256 } from "../support/a-recording.ts";

/**
 * An engine on a folder whose upstream answers each request by its body. Waits are over at once: a stream goes out
 * before it is whole, as it does to a client.
 */
export function anEngineOn(
  dir: string,
  how: {
    readonly replyTo: (body: string) => IncomingReply | undefined;
    readonly warn?: (message: string) => void;
    readonly secrets?: Secrets;
  },
): Engine {
  return createEngine({
    store: createFolderStore(dir),
    providers: createProviders(),
    clock: {
      now: () => 0,
      date: () => "2026-01-02T03:04:05.000Z",
      ticks: () => 0,
      wait: () => Promise.resolve(),
    },
    sha256,
    timing: "none",
    repeats: () => "takes",
    lenient: createLenientReplies(() => ({ reply: "" })),
    findNearest: async () => ({}),
    warn: how.warn ?? (() => {}),
    ...(how.secrets && { secrets: how.secrets }),
    connect:
      async () =>
      async ({ body }) => {
        const reply = how.replyTo(Buffer.from(body).toString());
        if (reply === undefined) throw new Error("no such request");
        return reply;
      },
  });
}
