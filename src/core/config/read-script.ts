import { localize } from "../base/localize.ts";
import type { ScriptedAnswer, ScriptedReply, ScriptedToolCall } from "../call/mocks.ts";
import {
  createFileFault,
  readElements,
  readKnown,
  readMembers,
  readNumber,
  readOneOf,
  readOptional,
  readPlain,
  readString,
  type FilePlace,
} from "../cassette/file-reader.ts";
import { isJsonObject } from "../base/json/json-tree.ts";
import { FAILURE, MATCH, readMockFile, type MockFile } from "./read-mock-file.ts";

/** A script: a JSON list, or one JSON value a line. Each is a text, or an object with the reply and the calls that it is for. */
export const SCRIPT: MockFile<ScriptedReply> = {
  what: () => localize("script"),
  hint: () =>
    localize(
      'A script is a JSON list, or one JSON value per line: "a text" or {"reply": "a text", "model": "gpt-4o", "text": "hello", "times": 2}. See docs/mocks.md.',
    ),
  read(place) {
    if (typeof place.tree === "string") return { reply: place.tree };
    const read = readKnown(place, { ...MATCH, ...FAILURE, reply: readAnswer, kosong: readString });
    const [answer, another] = ["reply", "kosong", "status"].filter((name) => name in read);
    if (answer === undefined) throw createFileFault(place, localize("has no reply"));
    if (another !== undefined)
      throw createFileFault(place, localize("has both {0} and {1}", answer, another));
    if (answer !== "status" && ("message" in read || "retryAfter" in read))
      throw createFileFault(place, localize("has a message or retryAfter, but no status"));
    return read as ScriptedReply;
  },
};

/** Reads a script. @throws TapedeckError `tapedeck_usage` with the file and the position */
export const readScript = (text: string, file: string): readonly ScriptedReply[] =>
  readMockFile(SCRIPT, text, file);

function readAnswer(place: FilePlace): string | ScriptedAnswer {
  if (typeof place.tree === "string") return place.tree;
  const tokens = (count: FilePlace): number => readNumber(count, 0);
  const read = readKnown<Required<ScriptedAnswer>>(place, {
    text: readString,
    toolCalls: (calls) => readElements(calls).map(readToolCall),
    usage: (usage) => readOptional(readMembers(usage), { inputTokens: tokens, outputTokens: tokens }),
    finish: (finish) => readOneOf(finish, ["stop", "length", "content-filter"]),
  });
  if (read.text === undefined && !read.toolCalls?.length)
    throw createFileFault(place, localize("has neither a text nor tool calls"));
  return read;
}

function readToolCall(place: FilePlace): ScriptedToolCall {
  const { name, ...more } = readOptional<Required<ScriptedToolCall>>(readMembers(place), {
    name: readString,
    arguments(given) {
      if (typeof given.tree === "string") return given.tree;
      if (!isJsonObject(given.tree))
        throw createFileFault(given, localize("must be an object, or JSON text"));
      return readPlain(given) as object;
    },
    id: readString,
  });
  if (!name) throw createFileFault(place, localize("has no name"));
  return { name, ...more };
}
