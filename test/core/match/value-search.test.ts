import { expect, test, vi } from "vitest";
import type { Call, Key } from "../../../src/core/call/call.ts";
import { addReportedValues } from "../../../src/core/call/reported-values.ts";
import { createRequestReader, type OriginSearch } from "../../../src/core/match/read-request.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { computeSha256 as sha256 } from "../../../src/storage/folder/sha256.ts";
import { createMemoryStore } from "../../../src/storage/memory-store.ts";

const ID = "0b8e6f0a-5a7c-4d7e-9d57-3c2f1f7a6b10";

function aReader(recorded: ReadonlySet<Key>) {
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
    origins: { hint: /./, prepare },
  });
  return { read, prepare };
}

function aCall(): Call {
  const run: Pick<Call["run"], "values"> = {};
  addReportedValues(`;v=u${ID}`, run);
  const body = { model: "gpt-4o", messages: [{ role: "user", content: `Where is order ${ID}?` }] };
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
