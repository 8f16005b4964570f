import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { writeCurlCommand } from "../../../src/editor/call-commands/curl-model.ts";
import { bytes } from "../../support/a-recording.ts";

const hasBash = spawnSync("bash", ["-c", "true"]).status === 0;
let dir = "";

/** In curl's place: writes down its arguments, each with a zero byte after it, and what it is fed. */
const CURL = [
  "#!/usr/bin/env bash",
  'printf "%s\\0" "$@" > "$OUT/arguments"',
  'for last; do :; done; if [ "$last" = "@-" ]; then cat > "$OUT/input"; fi',
].join("\n");

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "curl-"));
  writeFileSync(join(dir, "curl"), CURL);
  chmodSync(join(dir, "curl"), 0o755);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface CurlCall {
  readonly arguments: readonly string[];
  readonly body: Buffer;
}

function runInBash(script: string): CurlCall {
  rmSync(join(dir, "input"), { force: true });
  const env = {
    PATH: `${dir}:${process.env["PATH"] ?? ""}`,
    OUT: dir,
    OPENAI_API_KEY: "sk-own",
    ANTHROPIC_API_KEY: "sk-ant",
  };
  const done = spawnSync("bash", ["-s"], { input: script, env, encoding: "utf8" });
  expect(done.stderr).toBe("");
  const args = readFileSync(join(dir, "arguments"), "utf8").split("\0").slice(0, -1);
  const option = args.at(-2);
  const body = option === "--data-binary" ? readFileSync(join(dir, "input")) : Buffer.from(args.at(-1) ?? "");
  return { arguments: args, body };
}

function command(body: Uint8Array, path = "/v1/chat/completions", name = "openai"): string {
  const provider = createProviders().get(name);
  if (provider?.upstream === undefined) throw new Error("no such provider");
  return writeCurlCommand({ provider, upstream: provider.upstream, request: { method: "POST", path, body } });
}

const HOSTILE: readonly (readonly [string, string])[] = [
  ["quotes", `{"a":"it's \\"quoted\\" 'twice'"}`],
  ["command substitutions", '{"a":"$(touch /tmp/pwned) `id` ${HOME} $OPENAI_API_KEY"}'],
  ["line breaks", '{\n  "a": 1\r\n}\n'],
  ["tabs and escapes of a terminal", '{\t"a":"\u001b[31mred\u0007"}'],
  ["backslashes at the end", "{}\\"],
  ["an end of a here document", "{}\nEOF\nrm -rf /\n"],
  ["an at sign at the beginning", "@/etc/passwd"],
  ["a history expansion", '{"a":"!!"}'],
  ["other alphabets", '{"a":"Grüße, 世界 🎉 \u0085"}'],
  ["control characters beside quotes", "it's\ta \\ and a '"],
  ["100,000 quotes", "'".repeat(100_000)],
  ["300 kilobytes", `{"a":"${"x".repeat(300_000)}"}`],
];

describe.skipIf(!hasBash)("a call as curl (needs bash: install it)", () => {
  it.each(HOSTILE)("sends the same bytes where the body has %s", (_what, body) => {
    const sent = runInBash(command(bytes(body)));

    expect(sent.body.equals(Buffer.from(body))).toBe(true);
  });

  it("sends bytes that are no text", () => {
    const body = new Uint8Array([0, 255, 10, 39, 0]);

    const sent = runInBash(command(body));

    expect([...sent.body]).toEqual([...body]);
  });

  it("goes to the provider's address with the user's own key, which it does not contain", () => {
    const text = command(bytes("{}"), "/v1/chat/completions?a=[1]&b='$(id)'");

    const sent = runInBash(text);

    expect(text).not.toContain("sk-own");
    expect(text).toContain('-H "Authorization: Bearer $OPENAI_API_KEY"');
    expect(sent.arguments).toContain("https://api.openai.com/v1/chat/completions?a=[1]&b='$(id)'");
    expect(sent.arguments).toContain("Authorization: Bearer sk-own");
    expect(sent.arguments).toContain("content-type: application/json");
    expect(sent.arguments).toContain("--globoff");
  });

  it("sends the headers that distinguish the call from others", () => {
    const [provider, headers] = [
      createProviders().get("anthropic"),
      [["anthropic-beta", "it's, b"]] as const,
    ];
    const request = { method: "GET", path: "/v1/files", body: new Uint8Array(), headers };

    const sent = provider && runInBash(writeCurlCommand({ provider, upstream: "https://x.test", request }));

    expect(sent?.arguments).toContain("anthropic-beta: it's, b");
  });

  it("gives Anthropic its key and version as it wants them", () => {
    const sent = runInBash(command(bytes("{}"), "/v1/messages", "anthropic"));

    expect(sent.arguments).toContain("https://api.anthropic.com/v1/messages");
    expect(sent.arguments).toContain("x-api-key: sk-ant");
    expect(sent.arguments).toContain("anthropic-version: 2023-06-01");
  });
});
