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
    expect(describeRefusal(bytes({ message: "a".repeat(900) }), [])).toHaveLength(201);
  });
});

/** An error that names an unknown id, in the words of a provider; the id is in the path or the body of the request. */
interface UnknownCase {
  readonly who: string;
  readonly status: number;
  readonly error: object;
  readonly path: string;
  readonly body?: object;
  readonly id: string | undefined;
}

const openai = (message: string, code: string | null = null): object => ({
  error: { message, type: "invalid_request_error", param: null, code },
});
const anthropic = (type: string, message: string): object => ({ type: "error", error: { type, message } });
const google = (code: number, status: string, message: string): object => ({
  error: { code, message, status },
});

describe("an unknown id in a refusal", () => {
  it.each<UnknownCase>([
    {
      who: "OpenAI, a response",
      status: 400,
      error: openai("Previous response with id 'resp_68a1b2c3' not found.", "previous_response_not_found"),
      path: "/v1/responses",
      body: { previous_response_id: "resp_68a1b2c3" },
      id: "resp_68a1b2c3",
    },
    {
      who: "OpenAI, a conversation",
      status: 404,
      error: openai("Conversation with id 'conv_68a1b2c3' not found."),
      path: "/v1/responses",
      body: { conversation: "conv_68a1b2c3" },
      id: "conv_68a1b2c3",
    },
    {
      who: "OpenAI, a file",
      status: 404,
      error: openai("No such File object: file-68a1b2c3"),
      path: "/v1/files/file-68a1b2c3",
      id: "file-68a1b2c3",
    },
    {
      who: "OpenAI, a container",
      status: 400,
      error: openai("Container is expired."),
      path: "/v1/responses",
      body: { tools: [{ type: "code_interpreter", container: "cntr_68a1b2c3" }] },
      id: "cntr_68a1b2c3",
    },
    {
      who: "Azure, a response",
      status: 404,
      error: { error: { code: "404", message: "Response with id 'resp_68a1b2c3' was not found." } },
      path: "/openai/v1/responses/resp_68a1b2c3",
      id: "resp_68a1b2c3",
    },
    {
      who: "xAI, a response",
      status: 404,
      error: {
        code: "Some requested entity was not found",
        error: "Response with id resp-68a1b2c3 not found",
      },
      path: "/v1/responses",
      body: { previous_response_id: "resp-68a1b2c3" },
      id: "resp-68a1b2c3",
    },
    {
      who: "xAI, a UUID",
      status: 404,
      error: { code: "Some requested entity was not found", error: "The requested response does not exist." },
      path: "/v1/responses",
      body: { previous_response_id: "ad5663da-63e6-86c6-e0be-ff15effa8357", input: "Hi" },
      id: "ad5663da-63e6-86c6-e0be-ff15effa8357",
    },
    {
      who: "Anthropic, a file",
      status: 404,
      error: anthropic("not_found_error", "File not found: file_011CNha8iCJcU1wXNR6q4V8w"),
      path: "/v1/messages",
      body: { messages: [{ content: [{ source: { file_id: "file_011CNha8iCJcU1wXNR6q4V8w" } }] }] },
      id: "file_011CNha8iCJcU1wXNR6q4V8w",
    },
    {
      who: "Anthropic, a container",
      status: 400,
      error: anthropic(
        "invalid_request_error",
        "container: Container container_011CPR5CNjB747bTd36fQLFk has expired",
      ),
      path: "/v1/messages",
      body: { container: "container_011CPR5CNjB747bTd36fQLFk" },
      id: "container_011CPR5CNjB747bTd36fQLFk",
    },
    {
      who: "Gemini, a file",
      status: 403,
      error: google(
        403,
        "PERMISSION_DENIED",
        "You do not have permission to access the File 1a2b3c4d5e or it may not exist.",
      ),
      path: "/v1beta/models/gemini-3-flash:generateContent",
      body: { contents: [{ parts: [{ fileData: { fileUri: "https://g.com/v1beta/files/1a2b3c4d5e" } }] }] },
      id: "1a2b3c4d5e",
    },
    {
      who: "Gemini, a cache",
      status: 403,
      error: google(403, "PERMISSION_DENIED", "CachedContent not found (or permission denied)"),
      path: "/v1beta/models/gemini-3-flash:generateContent",
      body: { cachedContent: "cachedContents/0a1b2c3d4e5f" },
      id: "0a1b2c3d4e5f",
    },
    {
      who: "Gemini, an interaction",
      status: 404,
      error: google(404, "NOT_FOUND", "Requested entity was not found."),
      path: "/v1beta/interactions",
      body: { previous_interaction_id: "v1_ChdXTkZ1YU5uRE0", input: "Hi" },
      id: "v1_ChdXTkZ1YU5uRE0",
    },
    {
      who: "a wrong model",
      status: 404,
      error: openai("The model 'gpt-99' does not exist or you do not have access to it.", "model_not_found"),
      path: "/v1/responses",
      body: { model: "gpt-99", input: "Hi" },
      id: undefined,
    },
    {
      who: "a wrong argument beside a good id",
      status: 400,
      error: openai("Invalid value: 'abc'. Supported values are: 'low' and 'high'."),
      path: "/v1/responses",
      body: { previous_response_id: "resp_68a1b2c3", reasoning: { effort: "abc" } },
      id: undefined,
    },
    {
      who: "a key without rights",
      status: 403,
      error: google(403, "PERMISSION_DENIED", "Your API key does not have permission."),
      path: "/v1beta/models/gemini-3-flash:generateContent",
      body: { cachedContent: "cachedContents/0a1b2c3d4e5f" },
      id: undefined,
    },
  ])("is found in the words of $who", ({ status, error, path, body, id }) => {
    const reply = { status, headers: [], body: bytes(error) };
    const answer = { outcome: "forwarded", reply } as unknown as Parameters<typeof findUnknownId>[0];
    const sent = {
      method: body === undefined ? "GET" : "POST",
      path,
      body: body === undefined ? bytes("") : bytes(body),
    };

    expect(findUnknownId(answer, sent)).toBe(id);
  });
});
