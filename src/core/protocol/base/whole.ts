import { localize } from "../../base/localize.ts";
import { readEvents, readFrame } from "../../base/wire/sse.ts";
import { textOf } from "../../base/wire/text.ts";
import { fieldsOf, jsonIn } from "../../base/lenient.ts";
import { eventsOfChunks, eventsOfStream, type ReplyEvent, type WireFamily } from "./events.ts";
import type { Protocol, StreamRules } from "./protocol.ts";

/*
 * Whether an answer is complete, read from the same events as its conversation. Each frame is read separately, because
 * neither a failure nor an end depends on what came before it.
 */

/** Rules for the streams of a family. `rules` replaces those that do not follow from its events. */
export function streamRules(family: WireFamily, rules: Partial<StreamRules> = {}): StreamRules {
  return {
    isTerminal: (frame) => eventsIn(family, frame).some(isEnd),
    isError: (frame) => eventsIn(family, frame).some(isFailure),
    mayBeTerminal: () => true,
    ...rules,
  };
}

/** Whether the events of a frame end the answer. */
export const endsWith = (family: WireFamily, frame: string): boolean => eventsIn(family, frame).some(isEnd);

/** Returns the check that each choice of a stream has a reason to finish. */
export function everyChoiceFinished(family: WireFamily): (body: Uint8Array) => boolean {
  return (body) => {
    const events = eventsOfStream(family, readEvents(body));
    const finished = new Set(events.filter(isEnd).map(choiceOf));
    const begun = events.filter(({ type }) => type === "message").map(choiceOf);
    return finished.size > 0 && begun.every((choice) => finished.has(choice));
  };
}

/** Makes the checks of a family's whole replies: they need its members and no failure. */
export function wholeness(family: WireFamily): Pick<Protocol, "isWhole" | "unfinished"> {
  const eventsOf = (body: Uint8Array): readonly ReplyEvent[] | undefined => {
    const value = jsonIn(textOf(body));
    const fields = fieldsOf(value);
    if (family.failureIn?.(fields, { status: 200 })) return undefined;
    const chunks = family.chunksOf(fields, { status: 200 }, value);
    return chunks && eventsOfChunks(family, chunks);
  };
  return {
    isWhole: (body) => eventsOf(body)?.some(isFailure) === false,
    unfinished(body) {
      const reason = eventsOf(body)?.find((event) => event.type === "finish" && event.isGivenUp);
      if (reason?.type !== "finish") return undefined;
      return localize("The provider stopped the response (finish_reason {0})", reason.reason);
    },
  };
}

function eventsIn({ reader }: WireFamily, frame: string): readonly ReplyEvent[] {
  const { data, event } = readFrame(frame);
  // A line of JSON, or an element of a JSON array with the bracket or comma beside it.
  const json = data ?? frame.replace(/^\s*[[,]/, "").replace(/\]\s*$/, "");
  return reader().read(fieldsOf(jsonIn(json)), event, data);
}

function isFailure(event: ReplyEvent): boolean {
  return event.type === "error" || (event.type === "finish" && event.isGivenUp === true);
}

const isEnd = (event: ReplyEvent): boolean => event.type === "finish" && event.only !== "view";

const choiceOf = (event: ReplyEvent): number => ("choice" in event ? event.choice : undefined) ?? 0;
