import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { aFolder } from "../support/a-folder.ts";
import { aServer } from "../support/a-server.ts";

/** Asks the same in record and in strict, through the server and in this process. */
async function recordedAndReplayed(
  method: string,
  respond: Parameters<typeof aServer>[0],
): Promise<readonly Response[]> {
  const upstream = await aServer(respond);
  const deck = openDeck({ dir: join(aFolder(), ".tapedeck"), upstreams: { openai: upstream } });
  onTestFinished(() => deck.close());
  const server = await deck.listen();
  const urlIn = (mode: "record" | "strict"): string =>
    `${server.admit(deck.createRun(mode)).url}/openai/v1/files/f1/content`;
  const [record, strict] = [urlIn("record"), urlIn("strict")];
  return [
    await fetch(record, { method }),
    await fetch(strict, { method }),
    await deck.fetch(deck.createRun("strict"))(`${upstream}/v1/files/f1/content`, { method }),
  ];
}

test("a reply to HEAD keeps the length of the file that it is about", async () => {
  const replies = await recordedAndReplayed("HEAD", (_, response) => {
    response.writeHead(200, { "content-type": "application/pdf", "content-length": "77" }).end();
  });

  expect(replies.map(({ status, headers }) => [status, headers.get("content-length")])).toEqual([
    [200, "77"],
    [200, "77"],
    [200, "77"],
  ]);
});

test("a reason phrase of the provider's own is replayed", async () => {
  const replies = await recordedAndReplayed("GET", (_, response) => {
    response.writeHead(200, "Served From Cache", { "content-type": "application/json" }).end("{}");
  });

  expect(replies.map(({ statusText }) => statusText)).toEqual(Array(3).fill("Served From Cache"));
});
