import { join } from "node:path";
import { expect, test } from "vitest";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { aRealtimeServer } from "../support/a-realtime-server.ts";
import { CREATE, REALTIME, says } from "../support/a-session-deck.ts";
import { aSocketClient } from "../support/a-socket-client.ts";
import { casesOf } from "../support/cases.ts";
import { servingProcess } from "../cli/a-process.ts";
import { aProject } from "../cli/tapedeck.ts";

/** The last frame before the kill; "closing" and "closed" stand for the end of the session. */
const MOMENTS = casesOf<readonly string[]>({
  quick: ["response.output_text.delta", "closing", "closed"],
  long: [
    "session.created",
    "conversation.item.added",
    "response.created",
    "response.output_text.delta",
    "response.output_audio.delta",
    "response.done",
    ...Array.from({ length: 8 }, () => "closing"),
    "closed",
  ],
});
const ENDS: ReadonlySet<string> = new Set(["closing", "closed"]);

test("a session is whole or absent when Tapedeck is killed, and whole once its client learned that it ended", async () => {
  const upstream = await aRealtimeServer();
  const found: { moment: string; recordings: number; whole: number }[] = [];
  for (const moment of MOMENTS) {
    const cwd = aProject({});
    const args = ["--mode", "record", "--upstream", `openai=${upstream.url}`];
    const served = await servingProcess(args, { cwd });
    const client = await aSocketClient(`${served.ready.url}${REALTIME}`);
    await client.until("session.created");
    client.send(says("hello"));
    client.send(CREATE);
    await client.until(ENDS.has(moment) ? "response.done" : moment);
    const closed = ENDS.has(moment) ? client.close() : undefined;
    if (moment === "closed") await closed;
    await served.end("SIGKILL");
    await client.closed;
    const store = createFolderStore(join(cwd, ".tapedeck"));
    const recordings = await Promise.all((await store.list()).map(({ entry }) => store.read(entry)));
    const whole = recordings.filter(({ reply }) => Buffer.from(reply.body).includes("response.done"));
    found.push({ moment, recordings: recordings.length, whole: whole.length });
  }

  const numbersAt = (isChosen: (moment: string) => boolean): readonly number[] =>
    found.filter(({ moment }) => isChosen(moment)).map(({ recordings }) => recordings);
  expect(found.map(({ whole }) => whole)).toEqual(found.map(({ recordings }) => recordings));
  expect(numbersAt((moment) => moment === "closed")).toEqual([1]);
  expect(new Set(numbersAt((moment) => !ENDS.has(moment)))).toEqual(new Set([0]));
});
