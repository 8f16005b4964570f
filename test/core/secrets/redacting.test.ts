import { describe, expect, it, vi } from "vitest";
import type { Mode } from "../../../src/core/call/call.ts";
import type { IncomingReply } from "../../../src/core/answer/source/source.ts";
import type { Secrets } from "../../../src/core/secrets/guard.ts";
import { redactBody, takeOut } from "../../../src/core/secrets/redact-body.ts";
import { redactPlaces } from "../../../src/core/secrets/redact-call.ts";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import {
  aRun,
  anEngine,
  chatCall,
  chatReply,
  encode,
  recordCall,
  streamReply,
  textOf,
} from "../../support/an-engine.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";
import { secretsThat } from "../../support/secrets-that.ts";

const scan = await loadScanner();
const made = madeUpSecrets();
const TOKEN = { kind: "GitHub token", value: made["GitHub token"] ?? "" };
const KEY = { kind: "private key", value: made["private key"] ?? "" };
const redacted = (text: string, framing?: Parameters<typeof takeOut>[2]): string =>
  Buffer.from(takeOut(Buffer.from(text), [TOKEN, KEY], framing)).toString();

describe("a body", () => {
  it("keeps every byte but the secret's, and stays JSON", () => {
    const { value } = TOKEN;
    const body = `{ "a" : 1.0, "b":"\\u00e9 ${value}",\n "c":"{\\"k\\":\\"${value}\\\\n\\"}", "${value}": [] }`;

    expect(redacted(body)).toBe(
      '{ "a" : 1.0, "b":"é [redacted: GitHub token]",\n "c":"{\\"k\\":\\"[redacted: GitHub token]\\\\n\\"}", "[redacted: GitHub token]": [] }',
    );
    expect(redacted('{"pem":' + JSON.stringify(KEY.value) + "}")).toBe('{"pem":"[redacted: private key]"}');
  });

  it("that is not JSON is text; one that is not text stays unchanged", () => {
    const binary = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(TOKEN.value)]);

    expect(redacted(`to=${TOKEN.value}&b=1`)).toBe("to=[redacted: GitHub token]&b=1");
    expect(takeOut(binary, [TOKEN])).toBe(binary);
  });

  it.each([
    ["db.internal.net:5432:orders:app:", "\n"],
    ["Server=db.internal.net;User Id=app;Password=", "\n"],
    ["db.internal.net:5432:orders:app:", "\t# primary"],
  ])("loses the password after %j, and not the escape after it", (before, after) => {
    const body = Buffer.from(JSON.stringify({ content: `found:\n${before}Ehi3rpCbTcusVVnKcCtC${after}` }));

    const left = Buffer.from(redactBody(body, scan)).toString();

    expect(JSON.parse(left)).toEqual({
      content: `found:\n${before}[redacted: database password]${after}`,
    });
  });

  it("is the same again when it is redacted twice", () => {
    const call = chatCall(aRun("record"), `a ${TOKEN.value} b ${KEY.value}`);

    const once = redactPlaces(call, scan, undefined);

    expect(redactPlaces({ ...call, ...once }, scan, undefined)).toEqual(once);
    expect(Buffer.from(once.body).toString()).toContain(
      "a [redacted: GitHub token] b [redacted: private key]",
    );
  });
});

describe("an address with a password", () => {
  const address = `redis://default:${TOKEN.value.slice(-24)}@cache.internal.net:6379/0`;
  /** Every character beyond ASCII is an escape, as Python writes it. */
  const ascii = (json: string): string =>
    json.replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

  it.each(["\n", "\t", "\u00e9", "\u5730\u5740", "="])("is removed after %j", (before) => {
    const said = `found:${before}${address}\n`;
    for (const text of [said, JSON.stringify({ said }), ascii(JSON.stringify({ said }))])
      for (const write of [(json: string) => json, ascii]) {
        const sent = { messages: [{ role: "tool", content: text }] };
        const body = Buffer.from(write(JSON.stringify(sent)));

        const left = JSON.parse(Buffer.from(redactBody(body, scan)).toString()) as typeof sent;

        const content = left.messages[0]?.content ?? "";
        expect(text === said ? content : JSON.parse(content).said).toBe(
          said.replace(address.slice(0, -2), "[redacted: password in a URL]"),
        );
      }
  });
});

it("a secret that is escaped for a URL is removed", () => {
  const body = Buffer.from(JSON.stringify({ content: `?q=${encodeURIComponent(`see ${KEY.value}`)}&p=1` }));

  const left = Buffer.from(redactBody(body, scan)).toString();

  expect(left).toBe('{"content":"?q=see%20[redacted: private key]&p=1"}');
});

describe("a stream", () => {
  const { value } = TOKEN;
  const event = (index: number, text: string): string =>
    `data: {"delta":{"index":${index},"text":"${text}"}}\n\n`;

  it.each([1, 7, 39])(
    "has a secret taken out that was cut after %d characters, each part from its event",
    (cut) => {
      const body = [
        event(0, `so ${value.slice(0, cut)}`),
        ": ping\n\n",
        event(0, `${value.slice(cut)}.`),
      ].join("");

      expect(redacted(body, "events")).toBe(
        [event(0, "so [redacted: GitHub token]"), ": ping\n\n", event(0, ".")].join(""),
      );
    },
  );

  it("has it removed from answers whose pieces alternate", () => {
    const halves = [value.slice(0, 20), value.slice(20)] as const;
    const body = [event(0, halves[0]), event(1, "other"), event(0, halves[1]), event(1, "s")].join("");

    expect(redacted(body, "events")).toBe(
      [event(0, "[redacted: GitHub token]"), event(1, "other"), event(0, ""), event(1, "s")].join(""),
    );
  });

  it.each([
    [
      "lines",
      `{"t":"${value.slice(0, 5)}"}\n{"t":"${value.slice(5)}"}\n`,
      '{"t":"[redacted: GitHub token]"}\n{"t":""}\n',
    ],
    [
      "array",
      `[{"t":"${value.slice(0, 5)}"}\n,\r\n{"t":"${value.slice(5)}"}]`,
      '[{"t":"[redacted: GitHub token]"}\n,\r\n{"t":""}]',
    ],
  ] as const)("of %s stays one", (framing, body, left) => {
    expect(redacted(body, framing)).toBe(left);
  });
});

describe("a call of a project that redacts", () => {
  it("is answered as the provider answers, and kept without its secrets", async () => {
    const secrets = await secretsThat("redact");
    const reply = (length: number) => chatReply(`I received ${length} ${TOKEN.value}`);
    const under = anEngine(({ body }) => reply(body.length), { secrets });

    const recorded = await recordCall(under, chatCall(aRun("record"), `Look at ${TOKEN.value}`));

    expect(recorded.outcome).toBe("recorded");
    expect(Buffer.from(under.sent[0]?.body ?? []).toString()).toContain(TOKEN.value);
    expect(recorded.text).toContain(TOKEN.value);
    expect(recorded.keptRequest).toContain('"Look at [redacted: GitHub token]"');
    expect(recorded.keptReply).toContain(" [redacted: GitHub token]");
  });

  it("is kept and found again without what is escaped in its path", async () => {
    const secrets = await secretsThat("redact");
    const under = anEngine(() => chatReply("hi"), { secrets });
    const hook = [
      "https://hooks.slack.com/services",
      "T0K9D2MX7PQ",
      "B4T8Q1ZR6WV",
      "q7WxB2nLs9Kd4TzVy8Hm3RpF",
    ].join("/");
    const path = (url: string): string => `/v1/hooks/${encodeURIComponent(url)}/send%20it?a=%20b`;
    const ask = (mode: "record" | "strict", url: string) =>
      recordCall(under, chatCall(aRun(mode), "Go", {}, { path: path(url) }));

    const { recording } = await ask("record", hook);

    const shown = `/v1/hooks/${encodeURIComponent("[redacted: Slack webhook]")}/send%20it?a=%20b`;
    expect(recording?.request.path).toBe(shown);
    expect((await ask("strict", hook)).outcome).toBe("replayed");
  });

  it("is not recorded if a secret cannot be redacted, and the error names its place", async () => {
    const secrets = await secretsThat("redact");
    const reply = { status: 200, headers: [["content-type", "application/json"]] as const };
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.concat([
        Buffer.from('{"id":"\xff","choices":[{"message":{"content":"', "latin1"),
        Buffer.from(`${TOKEN.value}"},"finish_reason":"stop"}]}`),
      ]);
    }
    const under = anEngine(() => ({ ...reply, body: body() }), { secrets });

    const { outcome, reason } = await recordCall(under, chatCall(aRun("record"), "Go"));

    expect([outcome, reason]).toEqual([
      "forwarded",
      'The response was not recorded: the response contains what looks like a GitHub token ("ghp_"…, 40 characters); it cannot be redacted there.',
    ]);
    expect(under.warnings).toHaveLength(1);
  });

  it("leaves other secrets of another kind another call", async () => {
    const secrets = await secretsThat("redact");
    const { engine } = anEngine(() => streamReply([]), { secrets });
    const [token, key] = [TOKEN.value, made["Groq key"] ?? ""].map((value) =>
      chatCall(aRun("strict"), `Use ${value}`),
    );
    const events: (string | null)[] = [];
    engine.onCall(({ key: one }) => events.push(one));

    for (const call of [token, key, token]) if (call) await engine.answer(call);

    expect(new Set(events).size).toBe(2);
  });
});

describe("a call that is not recorded, in a project that drops secrets", () => {
  const { value } = TOKEN;
  const shown = async (mode: Mode, content: string, upstream?: Parameters<typeof anEngine>[0]) => {
    const { engine, events, store } = anEngine(upstream, { secrets: await secretsThat("drop") });
    await recordCall({ engine, store }, chatCall(aRun("record"), "Use the token of Ann for it"));
    const answer = await engine.answer(chatCall(aRun(mode), content));
    const text = await textOf(answer);
    await answer.settled;
    await vi.waitFor(() => expect(events).toHaveLength(2));
    const { miss, label, reason } = events.at(-1) ?? {};
    return { text, label, reason, miss: miss && { ...miss, request: undefined } };
  };

  it.each([
    ["whole", `Use the token ${value} for it`],
    ["cut off", `${"So it is ".repeat(6)} ${value}`],
  ])("shows no secret in a miss whose label has it %s", async (_, content) => {
    const { text, ...event } = await shown("strict", content);

    expect(text).toContain("No recording for this gpt-4o-mini call (");
    expect(text).not.toContain(value.slice(0, 10));
    expect(JSON.stringify(event)).not.toContain(value.slice(0, 10));
  });

  it("shows none of its request and of its provider's message in a failure", async () => {
    const refused = (): IncomingReply => ({
      ...chatReply("", 400),
      body: encode([JSON.stringify({ error: { message: `${"So it is. ".repeat(18)} Not ${value}` } })]),
    });

    const { label, reason } = await shown("record", `Use ${value}`, refused);

    expect([label, reason]).toEqual([
      "Use [redacted: GitHub token]",
      expect.stringMatching(/^openai answered with status 400: So it is\. (?!.*ghp_)/),
    ]);
  });
});

it("a scanner that fails lets nothing through and reports its failure", async () => {
  const secrets: Secrets = {
    policy: () => "drop",
    redact: undefined,
    redactTitles: async (call) => call,
    hide: async (call) => call,
    named: () => undefined,
    scan: () => Promise.reject(new Error("the rules are broken")),
  };
  const { engine, store, events, warnings } = anEngine(undefined, { secrets });

  const answer = await engine.answer(chatCall(aRun("record"), "hi"));
  await answer.settled;

  expect(events).toMatchObject([{ outcome: "forwarded" }]);
  expect(await store.list()).toEqual([]);
  expect(warnings).toEqual([
    expect.stringContaining("could not be searched for secrets (the rules are broken)"),
  ]);
});
