import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createProviders } from "../../../src/core/protocol/registry.ts";

/** Paths that stay plain HTTP, with the reason. */
const PLAIN: readonly (readonly [path: RegExp, reason: string])[] = [
  [/\/organizations?\/|^\/v1\/projects\/|\/compliance\//, "administration of an organization"],
  [/\/webhook|\/safety\/|\/tunnels|\/providers\/google\//, "settings of a project"],
  [
    /\/chatkit\/|\/auth_tokens|\/realtime\/|\/live\/sessions/,
    "tokens and phone calls of sessions in browsers",
  ],
  [/\/threads|\/assistants/, "assistants, which OpenAI shut down in August 2026; replies may be streams"],
  [/\/content_provenance_checks/, "questions about files, without a model"],
  [/\/stream$|^\/v1\/agents\/sessions\/[^/]+\/events$/, "event streams without an end"],
  [/\/invoke-with-bidirectional-stream$/, "HTTP/2 in both directions"],
  [/\/tts\/SpeechSynthesizer$/, "sound or events, as the request wants"],
];

interface SdkPath {
  readonly provider: string;
  readonly method: string;
  readonly path: string;
}

/** Finds the paths in the resources of an SDK that Stainless generated. */
function pathsOf(provider: string, name: string, version: string): readonly SdkPath[] {
  const folder = join(dirname(fileURLToPath(import.meta.resolve(name))), "resources");
  const found = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".mjs")) continue;
    const text = readFileSync(join(folder, file), "utf8");
    for (const [, verb = "", path = "", after = ""] of text.matchAll(CALL)) {
      const method = verb === "getAPIList" ? (/method: '(\w+)'/.exec(after)?.[1] ?? "get") : verb;
      const plain = path.replace("?beta=true", "").replaceAll(/\$\{[^}]*\}/g, ID);
      found.add(`${method.toUpperCase()} ${version}${plain}`);
    }
  }
  return [...found].sort().map((line) => parsePath(provider, line));
}

const CALL =
  /_client\s*\.(get|post|put|patch|delete|getAPIList)\(\s*(?:path\s*)?[`'](\/.*?)[`'],?([^;]{0,400})/gs;
const ID = "abc123";

function parsePath(provider: string, line: string): SdkPath {
  const [method = "", path = ""] = line.split(" ");
  return { provider, method, path };
}

/** Paths of SDKs that are no dependency, or that compute their paths. */
function listedPaths(): readonly SdkPath[] {
  const sections = readFileSync(join(import.meta.dirname, "sdk-paths.txt"), "utf8")
    .split(/^# /m)
    .slice(1);
  return sections.flatMap((section) => {
    const [head = "", ...lines] = section.trim().split("\n");
    const [provider = ""] = head.split(":");
    return lines.map((line) => parsePath(provider, line.replaceAll(":x", ID)));
  });
}

const ALL = [
  ...pathsOf("openai", "openai", "/v1"),
  ...pathsOf("anthropic", "@anthropic-ai/sdk", ""),
  ...listedPaths(),
];

test("every method of the newest SDKs is an operation, or plain HTTP for a reason", async () => {
  const providers = createProviders({ bedrock: "https://bedrock-runtime.us-east-1.amazonaws.com" });
  const plain = (path: string): boolean => PLAIN.some(([pattern]) => pattern.test(path));
  const rows = ALL.map(({ provider, method, path }) => {
    const operation = providers.protocolFor({ provider, method, path })?.protocol.operation ?? "unknown";
    return { row: `${provider} ${method} ${path} → ${operation}`, path, operation };
  });

  expect(ALL.length).toBeGreaterThan(700);
  expect(rows.filter(({ path, operation }) => /^(?:http|unknown)$/.test(operation) && !plain(path))).toEqual(
    [],
  );
  const shown = rows.filter(({ operation }) => operation !== "http").map(({ row }) => row);
  await expect(`${shown.join("\n")}\n`).toMatchFileSnapshot("sdk-operations.txt");
});
