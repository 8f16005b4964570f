import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { aServer } from "../support/a-server.ts";
import { geminiClient, generated } from "../support/gemini-sdk.ts";
import { chats, generations, ollamaClient } from "../support/ollama-sdk.ts";
import { trafficFixture } from "../support/traffic-fixture.ts";

/** The action of an official SDK, and the provider's reply. */
interface SdkCase {
  readonly provider: "gemini" | "ollama";
  readonly fixture: string;
  readonly call: (baseUrl: string, asked: object) => Promise<unknown>;
}

const gemini =
  (streams: boolean): SdkCase["call"] =>
  (baseUrl, asked) =>
    generated(geminiClient(undefined, baseUrl), asked as Parameters<typeof generated>[1], streams);
const model = "gemini-embedding-001";

const CASES: readonly SdkCase[] = [
  ...["generate", "thinking", "tools", "blocked"].map((fixture): SdkCase => ({
    provider: "gemini",
    fixture,
    call: gemini(false),
  })),
  ...["stream", "stream-thinking", "stream-tools"].map((fixture): SdkCase => ({
    provider: "gemini",
    fixture,
    call: gemini(true),
  })),
  {
    provider: "gemini",
    fixture: "batch-embed",
    call: (baseUrl) =>
      geminiClient(undefined, baseUrl).models.embedContent({ model, contents: ["a", "b", "c"] }),
  },
  {
    provider: "gemini",
    fixture: "count",
    call: (baseUrl) => geminiClient(undefined, baseUrl).models.countTokens({ model, contents: "Say hi" }),
  },
  ...["chat", "stream", "thinking", "tools"].map((fixture): SdkCase => ({
    provider: "ollama",
    fixture,
    call: (baseUrl, asked) => chats(ollamaClient(undefined, baseUrl), asked as Parameters<typeof chats>[1]),
  })),
  ...["generate", "generate-stream"].map((fixture): SdkCase => ({
    provider: "ollama",
    fixture,
    call: (baseUrl, asked) =>
      generations(ollamaClient(undefined, baseUrl), asked as Parameters<typeof generations>[1]),
  })),
  {
    provider: "ollama",
    fixture: "embed",
    call: (baseUrl) =>
      ollamaClient(undefined, baseUrl).embed({ model: "nomic-embed-text", input: ["a", "b"] }),
  },
];

describe("the official SDK", () => {
  test.each(CASES.map((one) => [one.provider, one.fixture, one] as const))(
    "of %s gives for %s the same in record and in strict as without Tapedeck",
    async (provider, name, { call }) => {
      const { asked, reply } = trafficFixture(provider, name, { provider, path: "/" });
      const dir = mkdtempSync(join(tmpdir(), "tapedeck-sdk-"));
      let requests = 0;
      const origin = await aServer((request, response) => {
        requests += 1;
        request.resume();
        response.writeHead(reply.status, { "content-type": reply.contentType });
        for (let at = 0; at < reply.body.byteLength; at += 37)
          response.write(reply.body.subarray(at, at + 37));
        response.end();
      });
      const deck = openDeck({ dir, upstreams: { [provider]: origin } });
      onTestFinished(async () => {
        await deck.close();
        rmSync(dir, { recursive: true, force: true });
      });
      const server = await deck.listen();
      const at = (mode: "record" | "strict"): string =>
        `${server.admit(deck.createRun(mode)).url}/${provider}`;

      const direct = plain(await call(origin, asked));
      const recorded = plain(await call(at("record"), asked));
      const replayed = plain(await call(at("strict"), asked));

      expect(recorded).toEqual(direct);
      expect(replayed).toEqual(direct);
      expect(requests).toBe(2);
    },
  );
});

/** Without what differs from answer to answer: dates and lengths of the connection's own. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (name === "sdkHttpResponse" ? undefined : inner)),
  ) as unknown;
}
