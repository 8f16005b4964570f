import { readBeginning, readFrame } from "../../base/wire/sse.ts";
import { fieldsOf, jsonIn, textIn } from "../../base/lenient.ts";
import type { StreamRules } from "./protocol.ts";

/** Whether the beginning of a frame may still get a data field that `couldBe` accepts. `couldBe` is given a beginning. */
export function mayGetData(beginning: string, couldBe: (data: string) => boolean): boolean {
  const { fields, openName, openValue } = readBeginning(beginning);
  if (fields.data !== undefined) return couldBe(fields.data);
  return openName === "data" ? couldBe(openValue) : true;
}

/** The events that end a stream, with success or failure. The data of each event contain its `type`. */
export interface TypedEnds {
  readonly terminal: readonly string[];
  readonly failed: readonly string[];
  readonly endsWithBody?: true;
}

/** Rules for streams of typed events, with or without an `event` field that repeats the type. */
export function typedStream({ terminal, failed, endsWithBody }: TypedEnds): StreamRules {
  return {
    ...typedEnd(...terminal),
    isError: (event) => {
      if (includesType(failed, event)) return true;
      // Gateways put their own failures into a frame without a type.
      const { data } = readFrame(event);
      const fields = data?.includes('"error"') === true ? fieldsOf(jsonIn(data)) : {};
      return Boolean(fields["error"]) && fields["type"] === undefined;
    },
    endsWithBody,
  };
}

/** How streams end whose last event has a type. */
export function typedEnd(...terminal: readonly string[]): Pick<StreamRules, "isTerminal" | "mayBeTerminal"> {
  return {
    isTerminal: (event) => includesType(terminal, event),
    mayBeTerminal: (beginning) => mayBeTyped(beginning, terminal),
  };
}

function includesType(names: readonly string[], frame: string): boolean {
  return names.includes(nameOf(frame) ?? "");
}

/** What a frame is called, by its name or by the type in its data. */
function nameOf(frame: string): string | undefined {
  const { event, data } = readFrame(frame);
  return event ?? (data === undefined ? undefined : textIn(fieldsOf(jsonIn(data))["type"]));
}

/** A type that is not at the beginning of the data cannot be told: such an event waits until it is whole. */
function mayBeTyped(beginning: string, names: readonly string[]): boolean {
  const { fields, openName, openValue } = readBeginning(beginning);
  if (fields.event !== undefined) return names.includes(fields.event);
  if (openName === "event") return names.some((name) => name.startsWith(openValue));
  const data = fields.data ?? (openName === "data" ? openValue : undefined);
  if (data === undefined) return true;
  const found = /^\{\s*"type"\s*:\s*"([^"]*)("?)/.exec(data);
  if (found === null) return true;
  const [, type = "", closed] = found;
  return names.some((name) => (closed === "" ? name.startsWith(type) : name === type));
}
