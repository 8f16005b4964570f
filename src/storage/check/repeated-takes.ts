import { createHash } from "node:crypto";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { whole, type Finding } from "./findings.ts";

/** The takes at the end of a call that have the same reply, oldest first. */
interface EqualTakes {
  takes: { readonly entry: string; readonly take: number; readonly file: string }[];
  reply: string;
  /** Whether a file has another name than its key, or belongs to an imported cassette: takes are then chosen otherwise. */
  isOther: boolean;
}

/**
 * Finds takes that can be deleted without changing any replay: those at the end of a call whose reply is that of the
 * take before them, because the last take is repeated. An equal take with another one after it is needed: a test that
 * polls sees "none", "one", "none".
 */
export function createRepeatedTakes() {
  const calls = new Map<string, EqualTakes>();
  return {
    /** Takes in the next recording, in the order of takes. `file` is the hash of its whole file. */
    add({ entry, take, key: name }: RecordingAddress, recording: Recording, file: string): void {
      const { provider, key, reply, cassettes } = recording;
      const call = `${provider}\n${key}`;
      const known = calls.get(call) ?? { takes: [], reply: "", isOther: false };
      calls.set(call, known);
      known.isOther ||= name !== key || cassettes !== undefined;
      const { body, ...head } = reply;
      const hashed = createHash("sha256")
        .update(JSON.stringify(head))
        .update("\n")
        .update(body)
        .digest("hex");
      const follows = known.reply === hashed && known.takes.at(-1)?.take === take - 1;
      if (!follows) known.takes = [];
      known.takes.push({ entry, take, file });
      known.reply = hashed;
    },
    findings(): readonly Finding[] {
      return [...calls.values()].flatMap(({ takes: [first, ...others], isOther }) =>
        first === undefined || isOther
          ? []
          : others.map(({ entry, file }) =>
              file === first.file
                ? whole("same-file", entry, `It is a copy of ${first.entry}.`)
                : whole(
                    "duplicate",
                    entry,
                    `Its reply is that of ${first.entry}, and no other take follows.`,
                  ),
            ),
      );
    },
  };
}
