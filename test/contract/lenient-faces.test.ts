import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRun } from "../../src/core/answer/runs.ts";
import { createProviders } from "../../src/core/protocol/registry.ts";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import { createServing } from "../../src/editor/session/session-server.ts";
import { aProject, serving } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";
import { corpus } from "../support/corpus/corpus.ts";
import { send } from "../support/http-client.ts";

const SCRIPT = {
  lenient: {
    script: [
      { kosong: "id: made-up-1\ntext: from kosong", provider: "anthropic", times: 90 },
      { status: 429, retryAfter: 1, provider: "groq" },
      { reply: { text: "cut", finish: "length", usage: { inputTokens: 3, outputTokens: 1 } }, times: 20 },
      { reply: "made up\nin two lines", times: "always" },
    ],
  },
};

/** Further mocks, and texts that must each be in at least one answer. */
const MOCKS: readonly (readonly [what: string, config: object, texts: readonly string[]])[] = [
  ["an echo answers", { lenient: { mock: "echo" } }, ["bytes to translate"]],
  [
    "faults make of answers",
    {
      lenient: { reply: "made up in many words, and few arrive" },
      faults: [
        { status: 529, provider: "anthropic", times: 3 },
        { cutAfter: 2, provider: "openai", times: "always" },
        { disconnectAfter: 1, provider: "mistral", times: "always" },
        { firstTokenMs: 1, tokensPerSecond: 100_000, times: "always" },
      ],
    },
    ["overloaded_error", "made up in many words, and few arrive"],
  ],
];

/** One call of each operation of each provider, whole and streamed. */
const CALLS = [
  ...new Map(
    corpus()
      .filter(({ request, reply }) => request.method === "POST" && reply.status === 200)
      .map((one) => [`${one.provider} ${one.operation} ${one.reply.contentType}`, one]),
  ).values(),
];

/** One of each provider, whole and streamed: what each operation makes of a reply is proven by the script. */
const FEW = [
  ...new Map(
    CALLS.map((one) => [`${one.provider} ${one.reply.contentType === "application/json"}`, one]),
  ).values(),
];

const isMessage = ({ provider, operation }: (typeof CALLS)[number]): boolean =>
  provider === "anthropic" && operation === "messages";

/** Those of the providers that the mocks below name. */
const MAIN = FEW.filter(({ provider }) => /^(?:anthropic|openai|mistral|gemini|groq)$/.test(provider));

type FaceReply = readonly [
  status: number,
  type: string | undefined,
  retryAfter: string | undefined,
  body: string,
];
/** A connection that broke. */
const BROKEN: FaceReply = [0, undefined, undefined, ""];
type Face = (call: (typeof CALLS)[number]) => Promise<FaceReply>;

/** Addresses of providers that differ for every user. */
const UPSTREAMS: Readonly<Record<string, string>> = Object.fromEntries(
  CALLS.flatMap(({ provider }) =>
    createProviders().get(provider)?.upstream === undefined
      ? [[provider, `https://${provider}.example.com`]]
      : [],
  ),
);

function deckOf(cwd: string): Deck {
  const deck = openDeck({ dir: join(cwd, ".tapedeck"), project: () => true, upstreams: UPSTREAMS });
  onTestFinished(() => deck.close());
  return deck;
}

function libraryIn(cwd: string): Face {
  const deck = deckOf(cwd);
  const ask = deck.fetch(deck.createRun("lenient"));
  return async ({ provider, request }) => {
    const { method, path, body, contentType, headers = {} } = request;
    const upstream = deck.providers.get(provider)?.upstream ?? UPSTREAMS[provider];
    const reply = await ask(`${upstream}${path}`, {
      method,
      body: new Uint8Array(body),
      headers: { ...headers, ...(contentType && { "content-type": contentType }) },
    });
    const [type, wait] = ["content-type", "retry-after"].map((name) => reply.headers.get(name) ?? undefined);
    return [reply.status, type, wait, Buffer.from(await reply.arrayBuffer()).toString("base64")];
  };
}

function over(url: string): Face {
  return async ({ provider, request }) => {
    const { contentType, headers = {} } = request;
    const typed = { ...headers, ...(contentType && { "content-type": contentType }) };
    const {
      status,
      headers: got,
      body,
    } = await send(`${url}/${provider}${request.path}`, {
      ...request,
      headers: typed,
    });
    return [status, got["content-type"], got["retry-after"], body.toString("base64")];
  };
}

/** The folder's own run in VS Code, as its terminals call it. */
async function editorIn(cwd: string): Promise<Face> {
  const deck = deckOf(cwd);
  const window = createServing({
    deck: () => deck,
    run: createRun({ id: "workspace", mode: "lenient" }),
    remembered: { read: async () => undefined, keep: async () => {} },
    roots: [dirname(deck.dir)],
    onGuard: () => {},
    onTests: () => {},
  });
  onTestFinished(() => window.close());
  return over((await window.ensure()).admission.url);
}

test("made-up replies are the same to a byte in the library, on the command line and in VS Code, for every operation", async () => {
  const texts = await sameTexts(
    SCRIPT,
    casesOf({ quick: [...FEW, ...CALLS.filter(isMessage)], long: CALLS }),
  );

  expect(CALLS.length).toBeGreaterThan(100);
  for (const text of ["from kosong", "cut", "made up"]) expect(texts.join("\n")).toContain(text);
});

test.each(MOCKS)("what %s is the same there, for every provider", async (_, config, expected) => {
  const texts = await sameTexts(config, casesOf({ quick: MAIN, long: FEW }));

  for (const text of expected) expect(texts.join("\n")).toContain(text);
});

/** Asks all three and expects the same of them; gives the texts of the answers. */
async function sameTexts(config: object, calls: typeof CALLS): Promise<readonly string[]> {
  const aFolder = (): string => aProject({ "tapedeck.jsonc": JSON.stringify(config) });
  const { ready } = await serving(["--mode", "lenient"], { cwd: aFolder() });
  const faces = [libraryIn(aFolder()), over(ready.url), await editorIn(aFolder())];

  const [library, cli, editor] = await Promise.all(
    faces.map(async (face) => {
      const answers = new Map<string, FaceReply>();
      for (const call of calls) answers.set(call.source, await face(call).catch(() => BROKEN));
      return answers;
    }),
  );

  expect(cli).toEqual(library);
  expect(editor).toEqual(library);
  return Array.from(library?.values() ?? [], ([, , , body]) => Buffer.from(body, "base64").toString());
}
