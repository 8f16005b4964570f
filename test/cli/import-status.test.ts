import { expect, it } from "vitest";
import { ADDRESS, ANSWERED, ASKED } from "../support/other-recorders.ts";
import { anArchive, anInteraction, importFiles } from "./imports.ts";
import { tapedeck } from "./tapedeck.ts";

type WriteFile = (status: unknown) => unknown;

const codeOf = (status: unknown): unknown => (typeof status === "number" ? { code: status } : status);
const vcr: WriteFile = (status) => anInteraction({ status: codeOf(status) });
const nock = {
  scope: "https://api.openai.com:443",
  method: "POST",
  path: "/v1/chat/completions",
  body: ASKED,
  response: ANSWERED,
};

/** Every form in which an importer reads a reply with a status. */
const FORMS: Readonly<Record<string, WriteFile>> = {
  "a VCR cassette": (status) => ({ version: 1, interactions: [vcr(status)] }),
  "a Ruby cassette": (status) => ({ http_interactions: [vcr(status)] }),
  "a list of interactions": (status) => [vcr(status)],
  "one interaction alone": vcr,
  "one interaction with parsed bodies": (status) => ({
    request: { method: "POST", uri: ADDRESS, parsed_body: ASKED, headers: {} },
    response: { status: codeOf(status), headers: {}, parsed_body: ANSWERED },
  }),
  "LangChain's cassette": (status) => {
    const { request, response } = vcr(status) as ReturnType<typeof anInteraction>;
    return { requests: [request], responses: [response] };
  },
  "an older cassette of httpx": (status) => {
    const { request, response } = anInteraction();
    const { headers, body } = response;
    return {
      interactions: [{ request, response: { status_code: status, headers, content: body.string } }],
    };
  },
  "one exchange": (status) => ({
    request: { url: ADDRESS, body: ASKED },
    response: { status, body: ANSWERED },
  }),
  "one exchange with headers": (status) => ({
    request: { url: ADDRESS, headers: {}, body: ASKED },
    reply: { status_code: status, headers: {}, body: ANSWERED },
  }),
  nock: (status) => [{ ...nock, status }],
  "nock with its older name": (status) => [{ ...nock, statusCode: status }],
  "nock's first form": (status) => [{ ...nock, reply: status }],
  har: (status) => anArchive([{ status }]),
  charles: (status) => [
    {
      scheme: "https",
      host: "api.openai.com",
      method: "POST",
      path: "/v1/chat/completions",
      request: { body: { text: JSON.stringify(ASKED) } },
      response: { status, body: { text: JSON.stringify(ANSWERED) } },
    },
  ],
  postman: (code) => ({
    info: { name: "chat" },
    item: [
      {
        request: { method: "POST", url: ADDRESS, body: { mode: "raw", raw: JSON.stringify(ASKED) } },
        response: [{ code, body: JSON.stringify(ANSWERED) }],
      },
    ],
  }),
};

/** Its body is that of a whole answer: only the status marks it as a failure. */
const FAILED: readonly unknown[] = [
  429,
  500,
  { code: 500, message: "Internal Server Error" },
  "500",
  { code: "five hundred" },
  "Internal Server Error",
  [500],
];

/** Returns how many calls of each file are recorded. */
async function countByFile(files: Readonly<Record<string, object>>, ...options: readonly string[]) {
  const { reports } = await importFiles(files, ...options);
  return Object.fromEntries(
    reports.map(({ file, imported, present }) => [file, imported.length + present.length]),
  );
}

it.each(Object.entries(FORMS))("%s with an error is imported only if requested", async (_, write) => {
  const failed = Object.fromEntries(FAILED.map((status, at) => [`${at}.json`, write(status) as object]));
  const good = { "good.json": write(200) as object };
  const limited = { "limited.json": write(429) as object };

  const none = Object.fromEntries(Object.keys(failed).map((name) => [name, 0]));
  expect(await countByFile({ ...failed, ...good })).toEqual({ ...none, "good.json": 1 });
  expect(await countByFile(limited, "--record-errors")).toEqual({ "limited.json": 1 });
});

it("an error is imported with its status if a project records errors, and skipped with a hint otherwise", async () => {
  const file = { "failed.json": [vcr(429)] };

  const { skipped } = await importFiles(file);
  const { cwd } = await importFiles({ ...file, "tapedeck.jsonc": { record: { errors: true } } });
  const { stdout } = await tapedeck(["list", "--json"], { cwd });

  expect(skipped).toEqual([
    expect.stringContaining("openai answered with status 429 (--record-errors imports errors, too)"),
  ]);
  expect(JSON.parse(stdout)).toMatchObject([{ status: 429 }]);
});

it("a line without a status is an answer only if nothing indicates a failure", async () => {
  const whole = { request: { url: ADDRESS, body: ASKED }, response: { body: ANSWERED } };
  const bare = { request: { url: ADDRESS, body: ASKED }, reply: ANSWERED };
  const own = { provider: "own", request: { path: "/v1/x", body: ASKED } };
  const failures: Readonly<Record<string, object>> = {
    "a status of its line": { ...whole, status: 500 },
    "a status of a line of bodies alone": { ...bare, status_code: 500 },
    "another name of the status": { ...whole, response: { http_status: 503, body: ANSWERED } },
    "a word of its line": { ...bare, status: "error" },
    "the words of a status": { ...whole, response: { statusText: "Bad Gateway", body: ANSWERED } },
    "that it is not well": { ...whole, response: { ok: false, body: ANSWERED } },
    "an error beside it": { ...bare, error: "timeout" },
    "an error as its body": { ...own, reply: { error: { message: "no" } } },
    "an error within its body": { ...own, reply: { body: { error: { message: "no" } } } },
  };
  const answers: Readonly<Record<string, object>> = {
    "a word for success": { ...bare, status: "ok", error: null },
    "a status": { ...bare, status: 200 },
    "the words of success": {
      ...whole,
      response: { ok: true, statusText: "OK", error: null, body: ANSWERED },
    },
    "no error": { ...own, reply: { a: 1 } },
  };

  expect(await countByFile({ ...failures, ...answers }, "--upstream", "own=https://own.example")).toEqual({
    ...Object.fromEntries(Object.keys(failures).map((name) => [name, 0])),
    ...Object.fromEntries(Object.keys(answers).map((name) => [name, 1])),
  });
});
