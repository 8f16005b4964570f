import { describe, expect, it } from "vitest";
import { ADDRESS, ANSWERED, ASKED } from "../support/other-recorders.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/** The body of a whole answer: only its status marks it as a failure. */
const [asked, answered] = [JSON.stringify(ASKED), JSON.stringify(ANSWERED)];
const FAILED = [
  { code: 500 },
  { code: 500, message: "Internal Server Error" },
  500,
  "500",
  { code: "five hundred" },
  "Internal Server Error",
  [500],
];

type Written = (status: unknown) => unknown;

/** Every form in which an importer reads a reply with a status. */
const FORMS: Readonly<Record<string, Written>> = {
  "a VCR cassette": (status) => ({ version: 1, interactions: [vcr(status)] }),
  "a Ruby cassette": (status) => ({ http_interactions: [vcr(status)] }),
  "a list of interactions": (status) => [vcr(status)],
  "one interaction alone": (status) => vcr(status),
  "one interaction with parsed bodies": (status) => ({
    request: { method: "POST", uri: ADDRESS, parsed_body: ASKED, headers: {} },
    response: { status, headers: {}, parsed_body: ANSWERED },
  }),
  "LangChain's cassette": (status) => {
    const { request, response } = vcr(status);
    return { requests: [request], responses: [response] };
  },
  "an older cassette of httpx": (status) => {
    const { request } = vcr(status);
    const headers = { "content-type": ["application/json"] };
    return { interactions: [{ request, response: { status_code: status, headers, content: answered } }] };
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
  har: (status) => ({
    log: {
      version: "1.2",
      entries: [
        {
          request: {
            method: "POST",
            url: ADDRESS,
            headers: [],
            postData: { mimeType: "application/json", text: asked },
          },
          response: { status, headers: [], content: { mimeType: "application/json", text: answered } },
        },
      ],
    },
  }),
};

function vcr(status: unknown): { readonly request: object; readonly response: object } {
  const headers = { "content-type": ["application/json"] };
  return {
    request: { method: "POST", uri: ADDRESS, body: asked, headers },
    response: { status, headers, body: { string: answered } },
  };
}

const nock = {
  scope: "https://api.openai.com:443",
  method: "POST",
  path: "/v1/chat/completions",
  body: ASKED,
  response: ANSWERED,
};

async function imported(
  files: Readonly<Record<string, unknown>>,
  options: readonly string[] = [],
): Promise<Readonly<Record<string, number>>> {
  const texts = Object.entries(files).map(([name, file]) => [name, JSON.stringify(file)] as const);
  const cwd = aProject(Object.fromEntries(texts));
  const { stdout } = await tapedeck(
    ["import", ...Object.keys(files).filter((name) => name !== CONFIG), ...options, "--json"],
    { cwd },
  );
  const { reports } = JSON.parse(stdout) as { reports: readonly Report[] };
  return Object.fromEntries(
    reports.map(({ file, imported: some, present }) => [file, some.length + present.length]),
  );
}

interface Report {
  readonly file: string;
  readonly imported: readonly unknown[];
  readonly present: readonly unknown[];
}

const CONFIG = "tapedeck.jsonc";

describe("an error is imported as an error if requested:", () => {
  it.each(Object.entries(FORMS))("%s", async (name, write) => {
    const failed = {
      "failed.json": write(
        /interaction|cassette/.test(name) && !name.includes("httpx") ? { code: 429 } : 429,
      ),
    };

    expect(await imported(failed)).toEqual({ "failed.json": 0 });
    expect(await imported(failed, ["--record-errors"])).toEqual({ "failed.json": 1 });
    expect(await imported({ ...failed, [CONFIG]: { record: { errors: true } } })).toEqual({
      "failed.json": 1,
    });
  });

  it("has its status, and is skipped with a hint unless requested", async () => {
    const cwd = aProject({ "failed.json": JSON.stringify([vcr({ code: 429 })]) });
    const skipped = await tapedeck(["import", "failed.json"], { cwd });
    expect(skipped.stderr).toContain("openai answered with status 429 (--record-errors imports errors, too)");

    await tapedeck(["import", "failed.json", "--record-errors"], { cwd });
    const { stdout } = await tapedeck(["list", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ status: 429 }]);
  });
});

describe("a line without a status is an answer only if nothing indicates a failure:", () => {
  const whole = { request: { url: ADDRESS, body: ASKED }, response: { body: ANSWERED } };
  const bare = { request: { url: ADDRESS, body: ASKED }, reply: ANSWERED };
  const own = { provider: "own", request: { path: "/v1/x", body: ASKED } };
  it.each<readonly [string, unknown]>([
    ["a status of its line", { ...whole, status: 500 }],
    ["a status of a line of bodies alone", { ...bare, status_code: 500 }],
    ["another name of the status", { ...whole, response: { http_status: 503, body: ANSWERED } }],
    ["a word of its line", { ...bare, status: "error" }],
    ["the words of a status", { ...whole, response: { statusText: "Bad Gateway", body: ANSWERED } }],
    ["that it is not well", { ...whole, response: { ok: false, body: ANSWERED } }],
    ["an error beside it", { ...bare, error: "timeout" }],
    ["an error as its body", { ...own, reply: { error: { message: "no" } } }],
    ["an error within its body", { ...own, reply: { body: { error: { message: "no" } } } }],
  ])("%s", async (_, line) => {
    expect(await imported({ "line.json": line }, ["--upstream", "own=https://own.example"])).toEqual({
      "line.json": 0,
    });
  });

  it("and is one with a word for success, and with no error", async () => {
    const lines = {
      "word.json": { ...bare, status: "ok", error: null },
      "status.json": { ...bare, status: 200 },
      "text.json": { ...whole, response: { ok: true, statusText: "OK", error: null, body: ANSWERED } },
      "none.json": { ...own, reply: { a: 1 } },
    };

    expect(await imported(lines, ["--upstream", "own=https://own.example"])).toEqual({
      "word.json": 1,
      "status.json": 1,
      "text.json": 1,
      "none.json": 1,
    });
  });
});

describe("an error is imported as an answer by no form of a file:", () => {
  it.each(Object.entries(FORMS))("%s", async (_, write) => {
    const failed = Object.fromEntries(FAILED.map((status, index) => [`failed-${index}.json`, write(status)]));

    const counts = await imported(failed);

    expect(counts).toEqual(Object.fromEntries(Object.keys(failed).map((name) => [name, 0])));
  });

  it.each(Object.entries(FORMS))("%s with status 200 is an answer", async (name, write) => {
    const good =
      /interaction|cassette/.test(name) && !name.includes("httpx") ? { code: 200, message: "OK" } : 200;

    expect(await imported({ "good.json": write(good) })).toEqual({ "good.json": 1 });
  });
});
