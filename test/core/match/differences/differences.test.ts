import { describe, expect, it, test } from "vitest";
import type { Difference } from "../../../../src/core/call/call.ts";
import { listDifferences } from "../../../../src/core/match/differences/differences.ts";
import { chat, multipart, posted, tool } from "../requests.ts";

const system = { role: "system", content: "You help. You are kind. You are terse." };
const user = { role: "user", content: "What is the weather in Paris?" };
const assistant = { role: "assistant", content: "It rains." };
const base = {
  model: "gpt-4o",
  temperature: 0.2,
  messages: [system, user],
  tools: [tool("a"), tool("b"), tool("c")],
};
const image = (data: string): object => ({
  type: "image_url",
  image_url: { url: `data:image/png;base64,${data}` },
});
const picture = (one: object): object => ({ messages: [{ role: "user", content: [one] }] });
const webp = (letter: string): object => ({
  source: { media_type: "image/webp", data: letter.repeat(2000) },
});
const calling = (args: string): object => ({
  messages: [
    user,
    { role: "assistant", content: null, tool_calls: [{ id: "1", function: { name: "w", arguments: args } }] },
  ],
});
const textsOf = (recorded: unknown, asked: unknown): readonly string[] =>
  listDifferences(chat(recorded), chat(asked)).map(({ text }) => text);

/** Messages in short: "user: Hi | assistant: Hello", with a role for "…:" and the base's for a bare name. */
const KNOWN: Readonly<Record<string, object>> = { system, user, assistant };
const talk = (short: string): { readonly messages: readonly object[] } => ({
  messages: short.split(" | ").map((one) => {
    const [, role = "", content = ""] = /^(\w+): ([^]*)$/.exec(one) ?? [];
    return KNOWN[one] ?? { role, content };
  }),
});
const toolsNamed = (names: string) => ({ ...base, tools: Array.from(names, (name) => tool(name)) });

const SAME = "The first part is the same in both, ".repeat(4);

/** Bodies of a recorded request and of a new one. */
const BODIES: readonly (readonly [what: string, recorded: unknown, asked: unknown])[] = [
  ["a number", base, { ...base, temperature: 0.7 }],
  ["the model", base, { ...base, model: "gpt-4o-mini" }],
  [
    "the order of origins",
    talk("user: Delete <uuid 1> and keep <uuid 2> of <now: YYYY-#-#>"),
    talk("user: Delete <uuid 2> and keep <uuid 1> of 2026-12-03"),
  ],
  ["a number as a text", { max_tokens: 5 }, { max_tokens: "5" }],
  ["the order of members", base, Object.fromEntries(Object.entries(base).toReversed())],
  [
    "a parameter of a tool",
    base,
    { ...base, tools: [tool("a"), tool("b"), tool("c", { city: { type: "string" } })] },
  ],
  ["a tool put in front", base, { ...base, tools: [tool("get"), ...base.tools] }],
  ["a tool left out", base, toolsNamed("bc")],
  ["tools in another order", base, toolsNamed("cab")],
  ["tools in reverse and one more", base, toolsNamed("dcba")],
  ["many tools in another order", toolsNamed("abcdefgh"), toolsNamed("hgfedcba")],
  [
    "a sentence of the system prompt",
    base,
    { ...base, ...talk("system: You help. You are kind. You are brief. | user") },
  ],
  [
    "a sentence more and one less",
    base,
    { ...base, ...talk("system: Hello! You help. You are terse. | user") },
  ],
  ["a question of one sentence", base, { ...base, ...talk("system | user: What is the weather in Rome?") }],
  ["words more at the end", talk("user: Say hi"), talk("user: Say hi in Dutch")],
  ["a word less at the end", talk("user: Say hi now"), talk("user: Say hi")],
  ["two words", talk("user: a one b two"), talk("user: a uno b due")],
  ["neighboring words", talk("user: red lamp here"), talk("user: blue desk here")],
  ["a text without blanks", talk("user: 今天天气好。 你好吗?"), talk("user: 明天天气好。 你好吗?")],
  ["many words", talk("user: a 1 b 2 c 3 d 4 e"), talk("user: a 5 b 6 c 7 d 8 e")],
  ["a long word", talk("user: x"), talk(`user: ${"y".repeat(100)}`)],
  ["the end of a long text", talk(`user: ${SAME}Be terse.`), talk(`user: ${SAME}Be brief.`)],
  ["a line feed at the end", talk("user: Be brief."), talk("user: Be brief.\n")],
  ["a blank more", talk("user: Be  brief."), talk("user: Be   brief.")],
  ["characters that look alike", talk("user: caf\u00e9 au lait"), talk("user: cafe\u0301 au lait")],
  [
    "one message put in between",
    talk("system | user | assistant | user"),
    talk("system | user: Hello there | user | assistant | user"),
  ],
  ["two messages at the end", talk("user"), talk("user | assistant | user: And in Rome?")],
  ["a message left out", talk("system | user"), talk("user")],
  ["messages in another order", base, { ...base, ...talk("user | system") }],
  [
    "two messages that changed places",
    talk("system | user | assistant | user: Thanks."),
    talk("system | user: Thanks. | assistant | user"),
  ],
  [
    "a conversation that went on from its second question",
    talk("system | user: One? | assistant | user"),
    talk("system | user | assistant | user: Three?"),
  ],
  ["a repeated message in place of another", talk("user | assistant"), talk("user | user")],
  ["a role", talk("user"), { messages: [{ ...user, role: "system" }] }],
  ["a setting more and one less", { a: 1, seed: 1 }, { a: 1, stop: ["END"] }],
  ["a text in place of parts", { input: "hi" }, { input: [{ text: "hi" }] }],
  ["parts of a system prompt", { system: [{ text: "Be good." }] }, { system: [{ text: "Be bad." }] }],
  ["a list of words", { stop: ["a", "b"] }, { stop: ["b", "c"] }],
  ["words in another order", { stop: ["a", "b", "c"] }, { stop: ["c", "b", "a"] }],
  ["names that need quotes", { "a b": { "x.y": 1 } }, { "a b": { "x.y": 2 } }],
  ["something else altogether", [1], { a: 1 }],
  [
    "the arguments of a tool call",
    calling('{"city":"Paris","days":1}'),
    calling('{"city": "Rome", "days": 1}'),
  ],
  ["the spelling of arguments", calling('{"city":"Paris"}'), calling('{"city": "Paris"}')],
  ["an image", picture(image("A".repeat(65_536))), picture(image("B".repeat(131_072)))],
  ["an image of the same size", webp("A"), webp("B")],
];

const form = (model: string, file: string, name = "a.mp3"): ReturnType<typeof posted> =>
  posted(
    multipart("b", [
      ['content-disposition: form-data; name="model"', model],
      [`content-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: audio/mpeg`, file],
    ]),
    "multipart/form-data; boundary=b",
  );
const batch = (line: string): ReturnType<typeof posted> =>
  posted(
    multipart("b", [
      [
        'content-disposition: form-data; name="f"; filename="b.jsonl"\r\ncontent-type: application/octet-stream',
        line,
      ],
    ]),
    "multipart/form-data; boundary=b",
  );
const bytes = (length: number, value: number): ReturnType<typeof posted> =>
  posted(new Uint8Array(length).fill(value));

/** Requests whose bodies are not JSON. */
const REQUESTS = [
  ["a field", form("whisper-1", "x"), form("whisper-2", "x")],
  ["a file", form("w", "x".repeat(49_152)), form("w", "x")],
  ["a file of the same size", form("w", "x"), form("w", "y")],
  ["a line of a batch", batch('{"id":1}\n{"id":2}'), batch('{"id":1}\n{"id":3}')],
  ["a file's name", form("w", "x"), form("w", "x", "b.mp3")],
  ["bytes", bytes(2000, 255), bytes(3000, 255)],
  ["bytes of the same number", bytes(2000, 255), bytes(2000, 254)],
  ["a text", posted("q=one", "text/x"), posted("q=two", "text/x")],
  ["another kind", posted("{}", "application/json"), posted("", "application/json")],
  ["parts in place of JSON", posted("{}"), form("w", "x")],
] as const;

/** The line of a difference, and the text with its changed words marked. */
const linesOf = ({ text, marked }: Difference): readonly string[] =>
  [text, ...(marked === undefined ? [] : [marked])].map((line) => `  ${line}`);

test("differences are named as the page beside this test has them", async () => {
  const pairs = [
    ...BODIES.map(([what, recorded, asked]) => [what, chat(recorded), chat(asked)] as const),
    ...REQUESTS,
  ];
  const page = pairs.map(([what, recorded, asked]) =>
    [what, ...listDifferences(recorded, asked).flatMap(linesOf), ""].join("\n"),
  );

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("")).toMatchFileSnapshot("differences.txt");
});

describe("the differences between a recorded request and a new one", () => {
  it("gives place, kind, and both values separately from the text", () => {
    const asked = { ...base, temperature: 0.7, messages: [system, user, assistant], top_p: 1 };

    expect(listDifferences(chat(base), chat(asked))).toEqual([
      { at: "/temperature", kind: "changed", recorded: "0.2", asked: "0.7", text: "temperature 0.2 → 0.7" },
      {
        at: "/messages/2",
        kind: "added",
        asked: '"It rains."',
        text: 'messages[2] (assistant) added: "It rains."',
      },
      { at: "/top_p", kind: "added", asked: "1", text: "top_p added: 1" },
    ]);
  });

  it("points with JSON pointers, escaped as they have to be", () => {
    const found = listDifferences(chat({ "a/b~c": [{ d: 1 }] }), chat({ "a/b~c": [{ d: 2 }] }));

    expect(found.map(({ at }) => at)).toEqual(["/a~1b~0c/0/d"]);
  });

  it("names method, path and query before the body", () => {
    const recorded = chat({ a: 1 }, { method: "POST", path: "/v1/chat?alt=sse&a=1&apikey=AIzaSecret" });
    const asked = chat({ a: 2 }, { method: "PUT", path: "/v2/chat?alt=json&b=2&apikey=AIzaOther" });

    expect(listDifferences(recorded, asked).map(({ at, text }) => [at, text])).toEqual([
      ["method", "method POST → PUT"],
      ["path", "path /v1/chat → /v2/chat"],
      ["query", "query a removed: 1"],
      ["query", "query alt sse → json"],
      ["query", "query b added: 2"],
      ["/a", "a 1 → 2"],
    ]);
  });

  it("cuts long texts around the difference", () => {
    const [recorded, asked] = ["alpha", "beta"].map((word) => ({
      text: `${"so ".repeat(300)}${word}${" on".repeat(300)}`,
    }));

    const [difference, ...others] = listDifferences(chat(recorded), chat(asked));

    expect(others).toEqual([]);
    expect(difference?.recorded).toMatch(/^…(?:so )+alpha(?: on)+ ?o?…$/);
    expect(difference?.asked).toMatch(/^…(?:so )+beta(?: on)+ ?o?…$/);
    expect(difference?.asked?.length).toBeLessThanOrEqual(122);
    expect(difference?.text.length).toBeLessThanOrEqual(260);
  });

  it("never shows base64 in any place", () => {
    const data = (letter: string): string => letter.repeat(4000);
    const requests = ["Q", "Z"].map((letter) =>
      chat({
        prose: `See ![this](data:image/png;base64,${data(letter)}) and tell. Or ${data(letter)} too.`,
        nested: JSON.stringify({ file: data(letter) }),
        [letter]: { inline: data(letter), list: [image(data(letter))] },
        messages: [{ role: "user", content: [image(data(letter)), letter] }],
      }),
    );

    const found = listDifferences(requests[0]!, requests[1]!);

    expect(found.length).toBeGreaterThan(4);
    expect(JSON.stringify(found)).not.toMatch(/QQQQ|ZZZZ/);
  });

  it("compares texts that hold megabytes of data", () => {
    const data = "aB3/".repeat(2 * 1_048_576);

    const [difference, ...others] = listDifferences(chat({ text: `${data}!` }), chat({ text: `${data}?` }));

    expect(others).toEqual([]);
    expect(difference).toMatchObject({ recorded: "[base64, 6.0 MB]!", asked: "[base64, 6.0 MB]?" });
  });

  it("lists twenty and counts the rest", () => {
    const settings = (value: number): object =>
      Object.fromEntries(Array.from({ length: 27 }, (_, index) => [`setting${index}`, value]));

    const found = listDifferences(chat(settings(1)), chat(settings(2)));

    expect(found).toHaveLength(21);
    expect(found[19]?.text).toBe("setting19 1 → 2");
    expect(found[20]).toEqual({ at: "", kind: "changed", text: "and 7 more" });
  });

  it("finds its way through long lists", () => {
    const numbers = Array.from({ length: 50_000 }, (_, index) => index);

    const found = textsOf(
      { input: numbers },
      { input: [...numbers.slice(0, 700), -1, ...numbers.slice(700)] },
    );

    expect(found).toEqual(["input[700] added: -1"]);
  });
});
