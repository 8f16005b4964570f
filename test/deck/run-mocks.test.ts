import { expect, test } from "vitest";
import type { Mode, Run } from "../../src/core/call/call.ts";
import { beginStretch } from "../../src/core/answer/runs.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, chatOf, type Project } from "./a-project.ts";

interface MockResponse {
  readonly error?: { readonly message: string };
}

interface Asking {
  readonly project: Project;
  readonly run: Run;
  /** Sends a request to the mocks of a run's test. */
  readonly mock: (method: string, path: string, body?: string) => Promise<MockResponse>;
  /** What became of a call, and its status. */
  readonly call: (text?: string) => Promise<readonly [by: string | undefined, status: number]>;
}

/** A run of a project whose lenient mode answers "by default", with its control path. */
async function asking(mode: Mode = "lenient"): Promise<Asking> {
  const project = aProject({ upstreams: { openai: (await anUpstream()).origin } });
  await project.say({ lenient: { reply: "by default" } });
  const run = project.deck.createRun(mode, { file: "a.test.ts", name: ["outer", "inner"] });
  const { url } = (await project.deck.listen()).admit(run);
  return {
    project,
    run,
    mock: async (method, path, body) => {
      const told = await fetch(`${url}/@mock/${path}`, { method, ...(body !== undefined && { body }) });
      return (await told.json()) as MockResponse;
    },
    call: async (text = "hi") => {
      const { reply, event } = await project.post(chatOf([text]), { run });
      await reply.text();
      return [(await event).madeUp?.by, reply.status];
    },
  };
}

const ASKED_FOR = ["the reply that its test planned", 200] as const;
const DEFAULT = ["the default reply", 200] as const;

test("replies that a test plans are given once each, in order and to the intended calls", async () => {
  const { mock, call } = await asking();

  await mock("POST", "reply", '{"reply": "one", "text": "second"}');
  await mock("POST", "reply?why=not", '\n ["two", {"status": 418, "text": "third"}]');
  await mock("POST", "reply", '{\n  "kosong": "text: in lines"\n}');

  expect(await call("first")).toEqual(ASKED_FOR);
  expect(await call("second")).toEqual(ASKED_FOR);
  expect(await call("third")).toEqual(["the reply that its test planned", 418]);
  expect(await call("fourth")).toEqual(ASKED_FOR);
  expect(await call("fifth")).toEqual(DEFAULT);
});

test("faults that a test asks for hit side by side", async () => {
  const { mock, call } = await asking();

  await mock("POST", "fault", '[{"status": 429, "text": "first"}, {"status": 503}]');
  await mock("POST", "fault", '{"firstTokenMs": 0, "times": 1}');

  expect([await call("first"), await call("second"), await call("third")]).toEqual([
    [undefined, 429],
    [undefined, 503],
    DEFAULT,
  ]);
});

test("reset removes unused replies and faults", async () => {
  const { mock, call } = await asking();
  await mock("POST", "reply", '["one", "two"]');
  await mock("POST", "fault", '[{"status": 429, "times": 2}]');
  await call();

  expect(await mock("POST", "reset")).toEqual({});

  expect(await call()).toEqual(DEFAULT);
  await mock("POST", "reply", '"three"');
  expect(await call()).toEqual(ASKED_FOR);
});

test("what a run's mocks cannot do is explained as the page has it", async () => {
  const page: string[] = [];
  for (const [what, mode, path, body] of [
    ["a reply in strict mode", "strict", "reply", '"a"'],
    ["a fault when calls are paid", "record", "fault", '{"status": 429}'],
    ["an invalid reply", "lenient", "reply", '{"reply": 1}'],
    ["a reply without an end", "lenient", "reply", "{"],
    ["nothing", "lenient", "reply", " "],
    ["an invalid fault", "strict", "fault", '{"status": 1}'],
    ["what is not there", "strict", "replies", ""],
  ] as const) {
    const { mock } = await asking(mode);
    page.push(`${what}\n  ${(await mock("POST", path, body)).error?.message}\n`);
  }

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("")).toMatchFileSnapshot("run-mocks.txt");
});

test("planned replies of a test stay when its run begins a new stretch", async () => {
  const { mock, call, run } = await asking();
  await mock("POST", "reply", '"one"');

  beginStretch(run);

  expect(await call()).toEqual(ASKED_FOR);
});
