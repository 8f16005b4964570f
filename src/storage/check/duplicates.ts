import { createHash } from "node:crypto";
import type { Recording } from "../../core/cassette/recording.ts";
import { whole, type Finding } from "./findings.ts";

/** Finds recordings that say what another one says, in the order in which they come. */
export interface DuplicateFinder {
  /** `text`: the whole file. */
  find(entry: string, recording: Recording, text: string): Finding | undefined;
}

export function createDuplicateFinder(): DuplicateFinder {
  /** The first take with a reply, by provider, key and the reply's bytes; and how its file was made. */
  const replies = new Map<string, { readonly entry: string; readonly file: string }>();
  return {
    find(entry, { provider, key, reply }, text) {
      const same = hash(reply.body);
      const place = `${provider}\n${key}\n${reply.status}\n${reply.contentType ?? ""}\n${same}`;
      const file = hash(text);
      const original = replies.get(place);
      if (original === undefined) {
        replies.set(place, { entry, file });
        return undefined;
      }
      return original.file === file
        ? whole("same-file", entry, `It is a copy of ${original.entry}.`)
        : whole("duplicate", entry, `Its reply is that of ${original.entry}.`);
    },
  };
}

function hash(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}
