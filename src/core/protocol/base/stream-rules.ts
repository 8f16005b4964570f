import { readFrame } from "../../base/wire/sse.ts";
import { readFields, tryParsePlainJson, readText } from "../../base/lenient.ts";
import type { StreamRules } from "./protocol.ts";

/** The events that end a stream, with success or failure. The data of each event contain its `type`. */
export interface TypedEnds {
  readonly terminal: readonly string[];
  readonly failed: readonly string[];
  readonly endsWithBody?: true;
}

/** Rules for streams of typed events, with or without an `event` field that repeats the type. */
export function createTypedStream({ terminal, failed, endsWithBody }: TypedEnds): StreamRules {
  return {
    ...createTypedEnd(...terminal),
    isError: (event) => {
      if (includesType(failed, event)) return true;
      // Gateways report their own failures in a frame without a type.
      const { data } = readFrame(event);
      const fields = data?.includes('"error"') === true ? readFields(tryParsePlainJson(data)) : {};
      return Boolean(fields["error"]) && fields["type"] === undefined;
    },
    endsWithBody,
  };
}

/** Rules for streams that end with an event of one of these types. */
export const createTypedEnd = (...terminal: readonly string[]): Pick<StreamRules, "isTerminal"> => ({
  isTerminal: (event) => includesType(terminal, event),
});

function includesType(names: readonly string[], frame: string): boolean {
  return names.includes(nameOf(frame) ?? "");
}

/** Returns the event name of a frame, or the type in its data. Google's data repeat the name as `event_type`. */
function nameOf(frame: string): string | undefined {
  const { event, data } = readFrame(frame);
  if (event !== undefined || data === undefined) return event;
  const { type, event_type: named } = readFields(tryParsePlainJson(data));
  return readText(type) ?? readText(named);
}
