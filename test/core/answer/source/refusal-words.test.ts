import { describe, expect, it } from "vitest";
import { spellCredentials } from "../../../../src/core/secrets/guard.ts";
import { findUnknownId } from "../../../../src/core/answer/source/chain-links.ts";
import { describeRefusal } from "../../../../src/core/answer/source/judge.ts";

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

describe("the words of a provider that refuses a call", () => {
  it.each([
    ["OpenAI's", { error: { message: "Incorrect API key provided." } }, "Incorrect API key provided"],
    ["Anthropic's", { type: "error", error: { message: "invalid x-api-key" } }, "invalid x-api-key"],
    ["Google's in a list", [{ error: { message: "API key not valid." } }], "API key not valid"],
    ["Cohere's", { message: "no api key supplied" }, "no api key supplied"],
    ["one in two lines", { detail: "one\ntwo" }, "one two"],
    ["none", { error: { code: 3 } }, ""],
  ])("are %s", (_, body, words) => {
    expect(describeRefusal(bytes(body), [])).toBe(words);
  });

  it("never repeat the key of the call", () => {
    const credentials = spellCredentials({
      provider: { name: "openai" } as never,
      headers: [["authorization", "Bearer sk-wrong-key-123456"]],
      path: "/v1/chat/completions",
      body: new Uint8Array(),
    });
    const body = bytes({ error: { message: "Incorrect API key provided: sk-wrong-key-123456." } });

    expect(describeRefusal(body, credentials)).toBe("Incorrect API key provided: [key]");
  });

  it("are no longer than a person reads at a glance", () => {
    expect(describeRefusal(bytes({ message: "a".repeat(900) }), [])).toHaveLength(200);
  });
});

const openai = (message: string, code: string | null = null): object => ({
  error: { message, type: "invalid_request_error", param: null, code },
});
const anthropic = (type: string, message: string): object => ({ type: "error", error: { type, message } });
const google = (code: number, status: string, message: string): object => ({
  error: { code, message, status },
});
const denied = (message: string): object => google(403, "PERMISSION_DENIED", message);
const xai = (error: string): object => ({ code: "Some requested entity was not found", error });

const RESP = "resp_68a1b2c3";
const UUID = "ad5663da-63e6-86c6-e0be-ff15effa8357";
const FILE = "file_011CNha8iCJcU1wXNR6q4V8w";
const CONTAINER = "container_011CPR5CNjB747bTd36fQLFk";
const URI = "https://g.com/v1beta/files/1a2b3c4d5e";
const CACHED = { cachedContent: "cachedContents/0a1b2c3d4e5f" };

type UnknownCase = readonly [
  who: string,
  error: object,
  /** The path of a GET, or the body of a POST. */
  asked: string | object,
  id?: string,
];

/** Errors that name an unknown id, in the words of a provider; the id is in the path or the body of the request. */
const UNKNOWN: readonly UnknownCase[] = [
  [
    "OpenAI, a response",
    openai(`Previous response with id '${RESP}' not found.`, "previous_response_not_found"),
    { previous_response_id: RESP },
    RESP,
  ],
  [
    "OpenAI, a conversation",
    openai("Conversation with id 'conv_68a1b2c3' not found."),
    { conversation: "conv_68a1b2c3" },
    "conv_68a1b2c3",
  ],
  [
    "OpenAI, a file",
    openai("No such File object: file-68a1b2c3"),
    "/v1/files/file-68a1b2c3",
    "file-68a1b2c3",
  ],
  [
    "OpenAI, a container",
    openai("Container is expired."),
    { tools: [{ type: "code_interpreter", container: "cntr_68a1b2c3" }] },
    "cntr_68a1b2c3",
  ],
  [
    "Azure, a response",
    { error: { code: "404", message: `Response with id '${RESP}' was not found.` } },
    `/openai/v1/responses/${RESP}`,
    RESP,
  ],
  ["xAI, a response", xai(`Response with id ${RESP} not found`), { previous_response_id: RESP }, RESP],
  ["xAI, a UUID", xai("The requested response does not exist."), { previous_response_id: UUID }, UUID],
  [
    "Anthropic, a file",
    anthropic("not_found_error", `File not found: ${FILE}`),
    { messages: [{ content: [{ source: { file_id: FILE } }] }] },
    FILE,
  ],
  [
    "Anthropic, a container",
    anthropic("invalid_request_error", `container: Container ${CONTAINER} has expired`),
    { container: CONTAINER },
    CONTAINER,
  ],
  [
    "Gemini, a file",
    denied("You do not have permission to access the File 1a2b3c4d5e or it may not exist."),
    { contents: [{ parts: [{ fileData: { fileUri: URI } }] }] },
    "1a2b3c4d5e",
  ],
  ["Gemini, a cache", denied("CachedContent not found (or permission denied)"), CACHED, "0a1b2c3d4e5f"],
  [
    "Gemini, an interaction",
    google(404, "NOT_FOUND", "Requested entity was not found."),
    { previous_interaction_id: "v1_ChdXTkZ1YU5uRE0", input: "Hi" },
    "v1_ChdXTkZ1YU5uRE0",
  ],
  [
    "nothing of a wrong model",
    openai("The model 'gpt-99' does not exist or you do not have access to it.", "model_not_found"),
    { model: "gpt-99", input: "Hi" },
  ],
  [
    "nothing of a wrong argument beside a good id",
    openai("Invalid value: 'abc'. Supported values are: 'low' and 'high'."),
    { previous_response_id: RESP, reasoning: { effort: "abc" } },
  ],
  ["nothing of a key without rights", denied("Your API key does not have permission."), CACHED],
];

it.for(UNKNOWN)("an unknown id is found in a refusal: %s", ([, error, asked, id]) => {
  const body = bytes(error);
  for (const status of [400, 403, 404]) {
    const answer = { outcome: "forwarded", reply: { status, headers: [], body } };
    const sent =
      typeof asked === "string"
        ? { method: "GET", path: asked, body: bytes("") }
        : { method: "POST", path: "/v1/responses", body: bytes(asked) };

    expect(findUnknownId(answer as unknown as Parameters<typeof findUnknownId>[0], sent)).toBe(id);
  }
});
