import { fixtureMaker, fixtureMakers } from "./fixtures.ts";
import { inTurn, times, type GeneratedCall, type Maker, type Makers, type Place } from "./place.ts";
import type { Voice } from "./voice.ts";
import {
  bytes,
  emptyRequest,
  eventsReply,
  jsonReply,
  jsonRequest,
  type MadeReply,
  PIXEL,
  PLAIN,
  type Style,
} from "./wire.ts";

const MODEL = "corpus-twin-1";

/** Google writes its events with CRLF, and its SDK wants a blank behind the colon. */
const STYLES: readonly [Style, ...Style[]] = [
  { ...PLAIN, newline: "\r\n" },
  PLAIN,
  { ...PLAIN, newline: "\r\n", spelling: "ascii" },
];

/** The separators of lines that Google's SDK takes for ends of lines inside its JSON are escaped by Google. */
const plain = (text: string): string => text.replaceAll(/[\u2028\u2029]/g, " ");

function bodyOf(voice: Voice, index: number): Record<string, unknown> {
  // Google's SDKs always send one.
  return { generationConfig: {}, ...inTurn(BODIES, index)(voice) };
}

const said = (role: string, ...parts: readonly object[]): object => ({ role, parts });
const asked = (voice: Voice): object => said("user", { text: voice.text() });

const tools = (voice: Voice): readonly object[] => [
  {
    functionDeclarations: [
      {
        name: "read_tide",
        description: voice.sentence(),
        parameters_json_schema: { type: "object", properties: { place: { type: "string" } } },
      },
    ],
  },
];

const BODIES: readonly [BodyMaker, ...BodyMaker[]] = [
  (voice) => ({ contents: [asked(voice)] }),
  (voice) => ({
    systemInstruction: { parts: [{ text: voice.sentence() }] },
    contents: [asked(voice)],
    generationConfig: { temperature: 0.5, maxOutputTokens: 512, responseMimeType: "application/json" },
  }),
  (voice) => ({
    contents: [asked(voice)],
    tools: tools(voice),
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
  }),
  (voice) => ({
    contents: [
      asked(voice),
      said("model", { functionCall: { name: "read_tide", args: { place: "Nes" } } }),
      said("user", { functionResponse: { name: "read_tide", response: { high: true } } }),
    ],
    tools: tools(voice),
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read_tide"] } },
  }),
  (voice) => ({
    contents: [said("user", { text: voice.text() }, { inlineData: { mimeType: "image/png", data: PIXEL } })],
  }),
  (voice) => ({ contents: [asked(voice), said("model", { text: voice.text() }), asked(voice)] }),
];

type BodyMaker = (voice: Voice) => Record<string, unknown>;

/** The parts of an answer, one kind after the other. */
const ANSWERS: readonly [AnswerMaker, ...AnswerMaker[]] = [
  (voice) => [{ text: plain(voice.text()) }],
  (voice) => [{ text: plain(voice.text()), thought: true }, { text: plain(voice.text()) }],
  (voice) => [
    { functionCall: { name: "read_tide", args: voice.values() }, thoughtSignature: voice.base64(90) },
  ],
  (voice) => [
    { functionCall: { id: voice.id(""), name: "read_tide", args: voice.values() } },
    { functionCall: { id: voice.id(""), name: "count_boats", args: {} } },
  ],
  (voice) => [{ text: plain(voice.text()) }, { functionCall: { name: "count_boats", args: voice.values() } }],
];

type AnswerPart = Readonly<Record<string, unknown>>;
type AnswerMaker = (voice: Voice) => readonly AnswerPart[];

function chunk(parts: readonly AnswerPart[], more: object = {}, outer: object = {}): object {
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    modelVersion: `${MODEL}-001`,
    responseId: "corpus",
    ...outer,
  };
}

function usage(voice: Voice): object {
  return {
    usageMetadata: {
      promptTokenCount: voice.count(5, 900),
      candidatesTokenCount: voice.count(5, 400),
      thoughtsTokenCount: 3,
      cachedContentTokenCount: 2,
      totalTokenCount: 1_400,
    },
  };
}

function chunksOf(voice: Voice, index: number): object[] {
  const pieces = inTurn(
    ANSWERS,
    index,
  )(voice).flatMap((part) =>
    typeof part["text"] === "string" ? voice.pieces(part["text"]).map((text) => ({ ...part, text })) : [part],
  );
  const counted = usage(voice);
  return pieces.map((piece, at) =>
    chunk([piece], at === pieces.length - 1 ? { finishReason: "STOP" } : {}, counted),
  );
}

const pathOf = ({ base }: Place, method: string): string => `${base}/models/${MODEL}:${method}`;

function streams(place: Place): GeneratedCall[] {
  const { voice } = place;
  const events = times(place.most, (index): GeneratedCall => ({
    name: `stream-${index}`,
    request: jsonRequest(`${pathOf(place, "streamGenerateContent")}?alt=sse`, bodyOf(voice, index)),
    reply: eventsReply(
      chunksOf(voice, index).map((data) => ({ data })),
      inTurn(STYLES, index),
    ),
  }));
  return events;
}

/** Without `alt=sse` a stream is one JSON array, whose elements come one by one; Google's SDK never asks so. */
function arrays(place: Place): GeneratedCall[] {
  const { voice } = place;
  return times(2, (index) => {
    const elements = chunksOf(voice, index).map((one) => JSON.stringify(one, undefined, 2));
    const body = bytes(`[${elements.join("\n,\r\n")}\n]\n`);
    return {
      name: `array-${index}`,
      request: jsonRequest(pathOf(place, "streamGenerateContent"), bodyOf(voice, index)),
      reply: { status: 200, contentType: "application/json; charset=UTF-8", body },
    };
  });
}

/** The calls that streams of arguments make, value by value, under the names of the exchanges. */
export const PARTIAL_CALLS: Readonly<Record<string, readonly (readonly [name: string, args: unknown])[]>> = {
  "partial-arguments-of-two-calls": [
    ["read_tide", { place: "Nes" }],
    ["read_tide", { place: "Port Ellen" }],
  ],
  "partial-arguments-of-a-call-without-any": [
    ["count_boats", {}],
    ["read_tide", { place: "A" }],
    ["read_tide", { place: "B" }],
  ],
  "partial-arguments-with-a-list": [
    [
      "log_boats",
      {
        boats: [
          { name: "Ask", length: 7.5 },
          { name: "Embla", length: 9, moored: true },
        ],
      },
    ],
  ],
};

function partial(place: Place): GeneratedCall[] {
  const { voice } = place;
  return Object.entries(PARTIAL_CALLS).map(([name, calls]) => {
    const pieces = calls.flatMap(([called, args], at) => [
      { functionCall: { name: called, willContinue: true }, ...(at === 0 && signed(voice)) },
      ...values(args, "$").map((piece) => ({ functionCall: { partialArgs: [piece], willContinue: true } })),
      { functionCall: {} },
    ]);
    const chunks = [
      ...pieces.map((piece) => chunk([piece])),
      chunk([{ text: "" }], { finishReason: "STOP" }, usage(voice)),
    ];
    return {
      name,
      request: jsonRequest(`${pathOf(place, "streamGenerateContent")}?alt=sse`, bodyOf(voice, 2)),
      reply: eventsReply(
        chunks.map((data) => ({ data })),
        STYLES[0],
      ),
    };
  });
}

const signed = (voice: Voice): object => ({ thoughtSignature: voice.base64(120) });

/** Each value by its place; a text in two pieces. */
function values(value: unknown, jsonPath: string): object[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => values(one, `${jsonPath}[${at}]`));
  if (typeof value === "number") return [{ jsonPath, numberValue: value }];
  if (typeof value === "boolean") return [{ jsonPath, boolValue: value }];
  if (typeof value === "string")
    return [value.slice(0, 1), value.slice(1)].map((stringValue) => ({ jsonPath, stringValue }));
  return Object.entries(value ?? {}).flatMap(([name, one]) => values(one, `${jsonPath}.${name}`));
}

const interactions: Maker = (place) =>
  fixtureMaker(
    "gemini",
    "/v1beta",
    "interactions",
  )({
    ...place,
    base: place.provider === "vertex" ? "/v1beta1/projects/corpus/locations/global" : place.base,
  });

const isStream = ({ reply }: GeneratedCall): boolean => reply.contentType.includes("event-stream");

/** Interactions: those of the fixtures, each made, read again, and, without a stream, canceled at its end. */
const interactionMakers: Makers = {
  interactions,
  "interactions.get": (place) =>
    interactions(place).map((call) => ({
      ...call,
      request: emptyRequest("GET", `${call.request.path}/v1_c${isStream(call) ? "?stream=true" : ""}`),
    })),
  "interactions.cancel": (place) =>
    interactions(place)
      .filter((call) => !isStream(call))
      .map((call) => ({ ...call, request: emptyRequest("POST", `${call.request.path}/v1_c/cancel`) })),
};

/** Gemini, by the Gemini API and by Vertex AI. Formats: ai.google.dev/api. */
export const geminiMakers: Makers = {
  ...fixtureMakers("gemini", "/v1beta"),
  ...interactionMakers,
  generateContent: (place) => [
    ...times(place.most, (index): GeneratedCall => ({
      name: `whole-${index}`,
      request: jsonRequest(pathOf(place, "generateContent"), bodyOf(place.voice, index)),
      reply: answer(place.voice, index),
    })),
    ...(place.provider === "vertex" ? [blocked(place)] : []),
  ],
  streamGenerateContent: (place) => [
    ...streams(place),
    ...partial(place),
    ...(place.provider === "vertex" ? arrays(place) : []),
  ],
};

function answer(voice: Voice, index: number): MadeReply {
  const parts = inTurn(ANSWERS, index)(voice);
  const cites = index % 5 === 4 ? { groundingMetadata: { webSearchQueries: [voice.sentence()] } } : {};
  return jsonReply(chunk(parts, { finishReason: "STOP", ...cites }, usage(voice)), "indented");
}

/** An answer that is none: the prompt was not let through. */
function blocked(place: Place): GeneratedCall {
  return {
    name: "blocked",
    request: jsonRequest(pathOf(place, "generateContent"), bodyOf(place.voice, 0)),
    reply: jsonReply({ promptFeedback: { blockReason: "SAFETY" }, ...usage(place.voice) }, "indented"),
  };
}
