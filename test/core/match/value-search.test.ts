import { expect, test, vi } from "vitest";
import type { Call, Key } from "../../../src/core/call/call.ts";
import type { GivenReply } from "../../../src/core/call/given-replies.ts";
import { addReportedValues } from "../../../src/core/call/reported-values.ts";
import { createRequestReader, type OriginSearch } from "../../../src/core/match/read-request.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { computeSha256 as sha256 } from "../../../src/storage/folder/read-file.ts";
import { createMemoryStore } from "../../../src/storage/memory-store.ts";

const ID = "0b8e6f0a-5a7c-4d7e-9d57-3c2f1f7a6b10";

const GIVEN: Omit<GivenReply, "reply"> = {
  entry: `calls/openai/3f/${"3f9a2c41d07b".padEnd(64, "0")}.json`,
  provider: "openai",
  method: "POST",
  path: "/v1/responses",
  request: new Uint8Array(),
  scope: "",
  isFresh: false,
};

function aReader(recorded: ReadonlySet<Key>, hint = /./) {
  const store = createMemoryStore();
  const takes = vi.spyOn(store, "takes");
  takes.mockImplementation((_, key) => (recorded.has(key) ? [{ entry: "one.json" } as never] : []));
  const prepare = vi.fn<OriginSearch["prepare"]>(({ run: { values: pool } }) => ({
    pool,
    places: [],
    now: 0,
    since: 0,
    zones: [0],
  }));
  const read = createRequestReader({
    providers: createProviders(),
    sha256,
    store,
    origins: { hint, prepare },
  });
  return { read, prepare };
}

function aCall({
  content = `Where is order ${ID}?`,
  report = `u${ID}`,
  given = "",
}: { readonly content?: string; readonly report?: string; readonly given?: string } = {}): Call {
  const run: Pick<Call["run"], "values" | "replies"> = {};
  addReportedValues(`;v=${report}`, run);
  const reply = { ...GIVEN, reply: Buffer.from(JSON.stringify({ id: given })) };
  if (given !== "") run.replies = { list: [reply], total: 1 };
  const body = { model: "gpt-4o", messages: [{ role: "user", content }] };
  return {
    provider: "openai",
    method: "POST",
    path: "/v1/chat/completions",
    headers: [["content-type", "application/json"]],
    body: Buffer.from(JSON.stringify(body)),
    run,
  } as unknown as Call;
}

test("a call that is recorded as it was sent is not searched for generated values", () => {
  const sent = aReader(new Set()).read({ ...aCall(), run: {} } as Call);

  const { read, prepare } = aReader(new Set([sent.key]));

  expect(read(aCall())).toMatchObject({ key: sent.key });
  expect(read(aCall()).values).toBeUndefined();
  expect(prepare).not.toHaveBeenCalled();
});

test("another call is matched by the origins of its values, which its process reported before", () => {
  const { read, prepare } = aReader(new Set());

  expect(read(aCall()).values).toEqual([{ text: ID, origin: "uuid 1" }]);
  expect(prepare).toHaveBeenCalledOnce();
});

const NO_DATE = /(?!)/;
const PROCESS = "i4711,z60:CET";

test.each([
  ["Stop process 4711.", "4711", "pid 1"],
  ["Stop worker id:\n 4711.", "4711", "pid 1"],
  ["Time zone: CET", "CET", "zone"],
  ["TZ=CET", "CET", "zone"],
  ["Order 00000000-0000-7000-8000-123456789abc", "00000000-0000-7000-8000-123456789abc", "uuid 1"],
])("a value of %j is found if its process reported only its id and time zone", (content, text, origin) => {
  const { read } = aReader(new Set(), NO_DATE);

  expect(read(aCall({ content, report: PROCESS })).values).toEqual([{ text, origin }]);
});

const IDS =
  "resp_68a1c0ffee msg_12 chatcmpl-abc1 toolu_01AbC D681PevKs gm3qorzdhgbfurvjtvhg6dckhu job_abc123";

test.each([...IDS.split(" "), "video_123456", ID])(
  "the id %s of an earlier reply is found, also in a request that is recorded as it was sent",
  (given) => {
    const call = aCall({ content: `Continue\n${given}`, report: PROCESS, given });
    const links = [expect.objectContaining({ text: given })];

    const found = aReader(new Set(), NO_DATE).read(call);
    const sent = aReader(new Set(), NO_DATE).read(
      aCall({ content: `Continue\n${given}`, report: PROCESS }),
    ).key;
    const literal = aReader(new Set([sent]), NO_DATE).read(call);

    expect(found).toMatchObject({ links, values: links });
    expect(literal).toMatchObject({ key: sent, links });
    expect(literal.values).toBeUndefined();
  },
);
