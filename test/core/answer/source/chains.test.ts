import { describe, expect, it } from "vitest";
import type { Answer, Mode } from "../../../../src/core/call/call.ts";
import { beginStretch } from "../../../../src/core/answer/runs.ts";
import type { IncomingReply, OutgoingRequest } from "../../../../src/core/answer/source/source.ts";
import { createMemoryStore } from "../../../../src/storage/memory-store.ts";
import {
  aClient,
  ask,
  play,
  repliesIn,
  said,
  type Client,
  type Fields,
} from "../../../support/a-chain-client.ts";
import { aStatefulProvider } from "../../../support/a-stateful-provider.ts";
import { aRun, anEngine, chatCall, encode, textOf } from "../../../support/an-engine.ts";

type Program<T> = (client: Client) => Promise<T>;
type AnswerOf = (method: string, path: string, body: object) => Promise<Answer>;

/** Three turns, the second one with this text. */
const threeTurns = (second: string) => async (client: Client) => {
  const one = await ask(client, "one");
  const two = await ask(client, second, { previous_response_id: one["id"] });
  const three = await ask(client, "three", { previous_response_id: two["id"] });
  return [one, two, three].map(said);
};

/**
 * Records a program, lets the provider forget its ids, and records the program with another text. Both are replayed
 * in strict mode as they were recorded.
 */
async function edit<T>(program: (text: string) => Program<T>, text: string, edited: string) {
  const [store, provider] = [createMemoryStore(), aStatefulProvider()];
  const was = await play(program(text), "record", { store, provider });
  provider.forget();
  const [sent, paid] = [provider.requests.length, provider.paid.length];

  const is = await play(program(edited), "record", { store, provider });

  expect((await play(program(edited), "strict", { store })).result).toEqual(is.result);
  expect((await play(program(text), "strict", { store })).result).toEqual(was.result);
  const requests = provider.requests.slice(sent).map((one) => one.replaceAll(/conv_\w+/g, ":id"));
  return { ...is, requests, paid: provider.paid.slice(paid) };
}

describe("a chain of responses", () => {
  it("is replayed in strict mode, with its links in the recordings", async () => {
    const [store, provider] = [createMemoryStore(), aStatefulProvider()];
    const recorded = await play(threeTurns("two"), "record", { store, provider });
    const replayed = await play(threeTurns("two"), "strict", { store });

    expect(recorded.result).toEqual(["one", "one | two", "one | two | three"]);
    expect(replayed.result).toEqual(recorded.result);
    const links = [];
    for (const { entry } of await store.list())
      links.push(...((await store.read(entry)).request.values ?? []).map(({ origin }) => origin));
    expect(links).toEqual([
      expect.stringMatching(/^resp 1 of [0-9a-f]{12}$/),
      expect.stringMatching(/^resp 1 of/),
    ]);
  });

  it("is replayed by position after its root was recorded again", async () => {
    const [store, provider] = [createMemoryStore(), aStatefulProvider()];
    await play(threeTurns("two"), "record", { store, provider });
    await play(async (client) => [await ask(client, "one")], "refresh", { store, provider });
    const replayed = await play(threeTurns("two"), "strict", { store });

    expect(replayed.outcomes).toEqual(["replayed", "replayed", "replayed"]);
  });
});

describe("a chain whose ids the provider forgot", () => {
  it("is recorded again from its root when a later call is edited", async () => {
    const { result, paid, outcomes, tested } = await edit(threeTurns, "two", "TWO");

    expect(result).toEqual(["one", "one | TWO", "one | TWO | three"]);
    expect(paid).toEqual(["one", "TWO", "three"]);
    expect(tested.warnings).toEqual([
      'To record "TWO", 1 earlier call of its chain is made again, because openai may have forgotten its id.',
    ]);
    expect(outcomes).toEqual(["replayed", "recorded", "recorded", "recorded"]);
  });
});

const first = (value: unknown): Fields => (value as readonly Fields[])[0] ?? {};

describe("what a chain needs", () => {
  /** A conversation with two questions and an added item before the last question. */
  const conversation = (last: string) => async (client: Client) => {
    const { id } = await client("POST", "/v1/conversations", {});
    const one = await ask(client, "one", { conversation: id });
    await client("POST", `/v1/conversations/${String(id)}/items`, {
      items: [{ type: "message", role: "user", content: "noted" }],
    });
    const two = await ask(client, "two", { conversation: { id } });
    const three = await ask(client, last, { conversation: id });
    return [one, two, three].map(said);
  };

  it("is everything that changed its conversation, in order", async () => {
    const { result, requests } = await edit(conversation, "three", "THREE");

    expect(result.at(-1)).toBe("one | noted | two | THREE");
    expect(requests).toEqual([
      "POST /v1/conversations",
      "POST /v1/responses",
      "POST /v1/conversations/:id/items",
      "POST /v1/responses",
      "POST /v1/responses",
    ]);
  });

  it("is recorded again behind an edited question of a conversation, whose state each call continues", async () => {
    const talk = (second: string) => async (client: Client) => {
      const { id } = await client("POST", "/v1/conversations", {});
      const texts = [];
      for (const text of ["one", second, "three"])
        texts.push(said(await ask(client, text, { conversation: id })));
      return texts;
    };

    expect((await edit(talk, "two", "TWO")).result).toEqual(["one", "one | TWO", "one | TWO | three"]);
  });

  it("is an upload, whose id only a header has", async () => {
    const store = createMemoryStore();
    const numbers: string[] = [];
    const upload = (content: string) => async (client: AnswerOf) => {
      const started = await client("POST", "/upload/v1beta/files", { file: { displayName: "a" } });
      const [, address = ""] = started.reply.headers.find(([name]) => name === "x-goog-upload-url") ?? [];
      const { pathname, search } = new URL(address);
      return textOf(await client("POST", pathname.replace(/^.*(?=\/upload)/, "") + search, { content }));
    };
    const upstream = ({ url }: OutgoingRequest): IncomingReply => {
      const { origin, pathname, searchParams } = new URL(url);
      const number = searchParams.get("upload_id");
      if (number !== null)
        return numbers.at(-1) === number
          ? jsonReply({ file: { name: "files/f1a2b3c4" } })
          : failure(410, "gone");
      numbers.push(`ABPt1c0${numbers.length}x`);
      const address = `${origin}${pathname}?upload_id=${numbers.at(-1)}&upload_protocol=resumable`;
      return {
        ...jsonReply({}),
        headers: [
          ["content-type", "application/json"],
          ["x-goog-upload-url", address],
        ],
      };
    };
    const inMode = async (mode: Mode, content: string) => {
      const tested = anEngine(mode === "strict" ? undefined : upstream, { store });
      const run = aRun(mode);
      return await upload(content)((method, path, body) => {
        const sent = { provider: "gemini", method, path, body: Buffer.from(JSON.stringify(body)) };
        return tested.engine.answer(chatCall(run, "", {}, sent));
      });
    };
    await inMode("record", "one");
    numbers.push("forgotten");

    expect(await inMode("record", "two")).toContain("f1a2b3c4");
    expect(numbers).toHaveLength(3);
    expect(await inMode("strict", "two")).toContain("f1a2b3c4");
  });

  const search = (question: string) => async (client: Client) => {
    const file = await client("POST", "/v1/files", { purpose: "user_data" });
    const store = await client("POST", "/v1/vector_stores", { name: "docs" });
    const path = `/v1/vector_stores/${String(store["id"])}/files`;
    const added = await client("POST", path, { file_id: file["id"] });
    while ((await client("GET", `${path}/${String(added["id"])}`))["status"] !== "completed");
    const other = await ask(client, "unrelated");
    const tools = [{ type: "file_search", vector_store_ids: [store["id"]] }];
    return [said(other), said(await ask(client, question, { tools }))];
  };

  it("are uploads, and jobs to their end, and no call beside it", async () => {
    const [store, provider] = [createMemoryStore(), aStatefulProvider()];
    await play(search("what?"), "record", { store, provider });
    provider.forget();
    const [sent, paid] = [provider.requests.length, provider.paid.length];
    const tested = anEngine((request) => withoutWait(provider.upstream(request)), { store });

    expect(await search("why?")(aClient(tested, aRun("record")))).toEqual(["unrelated", "why?"]);
    expect(provider.paid.slice(paid)).toEqual(["why?"]);
    expect(
      provider.requests.slice(sent).map((request) => request.replaceAll(/(vs_|file-)\w+/g, ":id")),
    ).toEqual([
      "POST /v1/files",
      "POST /v1/vector_stores",
      "POST /v1/vector_stores/:id/files",
      ...Array(3).fill("GET /v1/vector_stores/:id/files/:id"),
      "POST /v1/responses",
    ]);
    expect((await play(search("why?"), "strict", { store })).result).toEqual(["unrelated", "why?"]);
  });

  const tool = (result: string) => async (client: Client) => {
    const call = await ask(client, "call look");
    const output = {
      type: "function_call_output",
      call_id: first(call["output"])["call_id"],
      output: result,
    };
    return said(await ask(client, [output], { previous_response_id: call["id"] }));
  };

  it("includes the ids of its tool calls", async () => {
    expect((await edit(tool, "3 °C", "5 °C")).result).toBe("call look | 5 °C");
  });

  it("is nothing if the client sends the whole conversation", async () => {
    const loop = (result: string) => async (client: Client) => {
      const { output } = await ask(client, "call look");
      const call = first(output);
      return said(
        await ask(client, [call, { type: "function_call_output", call_id: call["call_id"], output: result }]),
      );
    };

    expect(await edit(loop, "3 °C", "5 °C")).toMatchObject({ result: "5 °C", paid: ["5 °C"] });
  });

  it("is the container that an earlier message made", async () => {
    const boxed = (last: string) => async (client: Client) => {
      const message = (content: string, more: object = {}): Promise<Fields> =>
        client(
          "POST",
          "/v1/messages",
          { model: "claude-sonnet-5", max_tokens: 9, messages: [{ role: "user", content }], ...more },
          "anthropic",
        );
      const { container } = await message("make");
      const { id } = container as Fields;
      return JSON.stringify((await message(last, { container: id }))["content"]);
    };

    expect((await edit(boxed, "use", "USE")).result).toContain("make | USE");
  });
});

const withoutWait = (reply: IncomingReply): IncomingReply => ({
  ...reply,
  headers: [...reply.headers, ["openai-poll-after-ms", "0"]],
});

describe("a chain that cannot be recorded again", () => {
  it("replaces nothing if an earlier call fails, and names it", async () => {
    const [store, provider] = [createMemoryStore(), aStatefulProvider()];
    await play(threeTurns("two"), "record", { store, provider });
    const before = await repliesIn(store);
    provider.forget();
    const busy = anEngine(
      (request) =>
        Buffer.from(request.body).includes("one") ? failure(500, "overloaded") : provider.upstream(request),
      { store },
    );

    await expect(threeTurns("TWO")(aClient(busy, aRun("record")))).rejects.toThrow(
      /This call continues .*"one.*could not be recorded again: openai answered with status 500: overloaded/s,
    );
    expect(await repliesIn(store)).toEqual(before);
  });

  it("replaces nothing if the call itself fails, and pays for the earlier ones only once", async () => {
    const [store, provider] = [createMemoryStore(), aStatefulProvider()];
    await play(threeTurns("two"), "record", { store, provider });
    const before = await repliesIn(store);
    provider.forget();
    const paid = provider.paid.length;
    let isBusy = true;
    const tested = anEngine(
      (request) =>
        isBusy && Buffer.from(request.body).includes("TWO")
          ? failure(500, "overloaded")
          : provider.upstream(request),
      { store },
    );
    const run = aRun("record");
    await expect(threeTurns("TWO")(aClient(tested, run))).rejects.toThrow("overloaded");
    expect(await repliesIn(store)).toEqual(before);
    expect(tested.events.map(({ outcome }) => outcome)).toContain("forwarded");

    isBusy = false;
    beginStretch(run);
    await threeTurns("TWO")(aClient(tested, run));
    expect(provider.paid.slice(paid)).toEqual(["one", "TWO", "three"]);
    expect((await play(threeTurns("TWO"), "strict", { store })).outcomes).toEqual(Array(3).fill("replayed"));
  });

  it("reports it if the recording that its id came from is missing", async () => {
    const [store, provider] = [createMemoryStore(), aStatefulProvider()];
    await play(threeTurns("two"), "record", { store, provider });
    provider.forget();
    const tested = anEngine(provider.upstream, { store });
    const client = aClient(tested, aRun("record"));
    const one = await ask(client, "one");
    for (const { entry } of await store.list()) await store.remove(entry);

    await expect(ask(client, "TWO", { previous_response_id: one["id"] })).rejects.toThrow(
      /continues a call whose recording .* is missing.*--mode refresh/s,
    );
  });

  it("finds an ancestor in another test", async () => {
    const [store, provider] = [createMemoryStore(), aStatefulProvider()];
    const inTest = async (options: { readonly question: string; readonly mode: Mode }) => {
      const tested = anEngine(options.mode === "strict" ? undefined : provider.upstream, { store });
      const run = aRun(options.mode);
      const file = await aClient(tested, run, "uploads")("POST", "/v1/files", { purpose: "user_data" });
      const input = [
        {
          role: "user",
          content: [
            { type: "input_file", file_id: file["id"] },
            { type: "input_text", text: options.question },
          ],
        },
      ];
      return said(await ask(aClient(tested, run, "asks"), input));
    };
    await inTest({ question: "what?", mode: "record" });
    provider.forget();

    expect(await inTest({ question: "why?", mode: "record" })).toBe("why?");
    expect(await inTest({ question: "why?", mode: "strict" })).toBe("why?");
    expect(await inTest({ question: "what?", mode: "strict" })).toBe("what?");
  });

  it("keeps an id apart that two recordings gave out", async () => {
    const store = createMemoryStore();
    const reply = (text: string): IncomingReply =>
      jsonReply({
        id: "resp_samesame1",
        object: "response",
        status: "completed",
        output: [
          { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text }] },
        ],
      });
    const provider = {
      ...aStatefulProvider(),
      upstream: ({ body }: OutgoingRequest) => reply(Buffer.from(body).toString().length.toString()),
    };
    const program = async (client: Client) => {
      const one = await ask(client, "one");
      const two = await ask(client, "two two");
      return [one, two, await ask(client, "three", { previous_response_id: two["id"] })].map(said);
    };
    const recorded = await play(program, "record", { store, provider });

    expect((await play(program, "strict", { store })).result).toEqual(recorded.result);
    for (const { entry } of await store.list())
      expect((await store.read(entry)).request.values).toBeUndefined();
  });
});

describe("an id that the provider does not know", () => {
  it("is tried first if the chain is kept, and its chain is recorded again if it is unknown", async () => {
    const [store, provider] = [createMemoryStore(), aStatefulProvider()];
    await play(threeTurns("two"), "record", { store, provider });
    const paid = provider.paid.length;
    await play(threeTurns("TWO"), "record", { store, provider, keepsChain: true });
    expect(provider.paid.slice(paid)).toEqual(["TWO", "three"]);

    provider.forget();
    await play(threeTurns("Two"), "record", { store, provider, keepsChain: true });
    expect(provider.paid.slice(paid + 2)).toEqual(["one", "Two", "three"]);
    expect((await play(threeTurns("Two"), "strict", { store })).outcomes).toEqual(Array(3).fill("replayed"));
  });

  it.each([
    [undefined, "npx tapedeck run --mode refresh -- <your test command>"],
    ["tapedeck run --mode record --last", "tapedeck run --mode refresh --last"],
    ["pytest --tapedeck=record -k record", "pytest --tapedeck=refresh -k record"],
    ['the same code with tapedeck.tape("record")', 'the same code with tapedeck.tape("refresh")'],
  ])(
    "is named with the command that records its chain from the start, where %s records",
    async (recordCommand, command) => {
      const tested = anEngine(aStatefulProvider().upstream);
      const client = aClient(tested, { ...aRun("record"), ...(recordCommand && { recordCommand }) });
      await expect(ask(client, "two", { previous_response_id: "resp_typedintest1" })).rejects.toThrow(
        "not found",
      );

      const [event] = tested.events;
      expect(event?.reason).toContain("Previous response with id 'resp_typedintest1' not found");
      expect(event?.hint).toBe(
        `openai does not know resp_typedintest1. Record its chain from the start, with the call that gave it out: ${command}`,
      );
    },
  );
});

const jsonReply = (body: object, status = 200): IncomingReply => ({
  status,
  headers: [["content-type", "application/json"]],
  body: encode([JSON.stringify(body)]),
});

const failure = (status: number, message: string): IncomingReply =>
  jsonReply({ error: { message, type: "server_error" } }, status);
