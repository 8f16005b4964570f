import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { decodeText } from "../../src/core/base/wire/text.ts";
import { ADDRESS, ANSWERED, ASKED, STREAM } from "../support/other-recorders.ts";
import { replyOf } from "../support/reply-of.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

const streaming = { ...ASKED, stream: true };
const LINES = [
  '{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n',
  '{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n',
].join("");

interface Reply {
  readonly contentType?: string | undefined;
  readonly text: string;
}

/** Imports a cassette whose reply has only a status and a body; returns the recorded and the skipped calls. */
async function imported(
  uri: string,
  asked: object,
  text: string,
): Promise<{ readonly replies: readonly Reply[]; readonly skipped: readonly string[] }> {
  const request = { method: "POST", uri, headers: {}, body: JSON.stringify(asked) };
  const response = { status: { code: 200 }, headers: {}, body: { string: text } };
  const cwd = aProject({ "one.json": JSON.stringify({ interactions: [{ request, response }] }) });
  const { stdout } = await tapedeck(["import", "one.json", "--json", "--upstream", OLLAMA], { cwd });
  const { reports } = JSON.parse(stdout) as {
    reports: readonly { readonly skipped: readonly { readonly reason: string }[] }[];
  };
  const store = createFolderStore(join(cwd, ".tapedeck"));
  const replies: Reply[] = [];
  for (const { entry } of await store.list()) {
    const { contentType, body } = await replyOf(store, entry);
    replies.push({ contentType, text: decodeText(body) });
  }
  return { replies, skipped: reports.flatMap((report) => report.skipped.map(({ reason }) => reason)) };
}

const OLLAMA = "ollama=http://127.0.0.1:11434";
const CHAT = "http://127.0.0.1:11434/api/chat";

describe("a reply without headers, to a request that asked for a stream,", () => {
  it("is imported as server-sent events when its operation streams these", async () => {
    const { replies } = await imported(ADDRESS, streaming, STREAM);

    expect(replies).toEqual([{ contentType: "text/event-stream; charset=utf-8", text: STREAM }]);
  });

  it("is imported as lines of JSON when its operation streams these", async () => {
    const { replies } = await imported(CHAT, { ...streaming, model: "m" }, LINES);

    expect(replies).toEqual([{ contentType: "application/x-ndjson", text: LINES }]);
  });

  it("is imported as it is when it is a whole answer in one piece", async () => {
    const { replies } = await imported(ADDRESS, streaming, JSON.stringify(ANSWERED));

    expect(replies).toEqual([{ contentType: undefined, text: JSON.stringify(ANSWERED) }]);
  });

  it("is skipped when the stream is cut", async () => {
    const { replies, skipped } = await imported(
      ADDRESS,
      streaming,
      STREAM.slice(0, STREAM.indexOf(": a comment")),
    );

    expect(replies).toEqual([]);
    expect(skipped.join()).toContain("without its terminal event");
  });
});
