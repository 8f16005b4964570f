import { expect, it } from "vitest";
import type { CallEvent } from "../../src/core/call/call.ts";
import { describeRecording, describeRequest } from "../../src/core/view/describe.ts";
import { createProviders } from "../../src/core/protocol/registry.ts";
import { formatMissLines } from "../../src/core/view/miss.ts";
import { formatCallLine } from "../../src/editor/window/log-model.ts";
import { writeCurlCommand } from "../../src/editor/call-commands/curl-model.ts";
import {
  renderMissDocument,
  renderRecordingDocument,
} from "../../src/editor/documents/document-content-model.ts";
import { aRun, anEngine, chatCall, chatReply, textOf } from "../support/an-engine.ts";
import { madeUpSecrets, secretInContext } from "../support/made-up-secrets.ts";
import { secretsThat } from "../support/secrets-that.ts";
import { seeded } from "../support/seeded.ts";
import { aCallsTree, NOW, treeText } from "./calls-tree/a-calls-tree.ts";

const FIRST = madeUpSecrets();
const SECOND = madeUpSecrets(seeded(9));

it("no log line, label, document, problem or copied command shows what a project redacts", async () => {
  const providers = createProviders();
  const { engine, store, warnings } = anEngine(({ body }) => chatReply(Buffer.from(body).toString()), {
    secrets: await secretsThat("redact"),
  });
  const { session, model } = aCallsTree({ store });
  const events: CallEvent[] = [];
  engine.onCall((event) => {
    events.push(event);
    session.addCall(event);
  });
  const ask = async (mode: "record" | "strict", text: string): Promise<string> =>
    textOf(await engine.answer(chatCall(aRun(mode), text)));
  for (const [kind, secret] of Object.entries(FIRST))
    await ask("record", `${secretInContext(kind, secret)} is it, of ${kind}`);

  const heard: string[] = [];
  for (const [kind, secret] of Object.entries(SECOND))
    heard.push(await ask("strict", `${secretInContext(kind, secret)} is that, of ${kind}`));

  const missing = events.flatMap(({ miss }) => miss ?? []);
  const recordings = await Promise.all((await store.list()).map(({ entry }) => store.read(entry)));
  const upstream = "https://api.openai.com";
  const provider = providers.get("openai");
  const shown = [
    ...warnings,
    ...heard,
    ...events.map((event) => formatCallLine(event).text),
    ...(await treeText(model)),
    ...missing.flatMap((miss) => formatMissLines(miss, "editor")),
    ...missing.map((miss) => JSON.stringify(miss.nearest ?? "")),
    ...missing.map(
      (miss) =>
        renderMissDocument({ miss, view: describeRequest(miss, providers) }, "all", { now: NOW }).text,
    ),
    ...missing.map(({ request }) => (provider ? writeCurlCommand({ provider, upstream, request }) : "")),
    ...recordings.map(
      (one) => renderRecordingDocument(describeRecording(one, providers), "all", { now: NOW }).text,
    ),
  ].join("\n");

  const secrets = [...Object.values(FIRST), ...Object.values(SECOND)];
  expect([missing.length, recordings.length]).toEqual([secrets.length / 2, secrets.length / 2]);
  expect(missing.filter(({ nearest }) => nearest === undefined)).toEqual([]);
  expect(shown).toContain("[redacted: Anthropic key]");
  expect(
    secrets.filter((secret) => shown.includes(secret) || shown.includes(JSON.stringify(secret).slice(1, -1))),
  ).toEqual([]);
});
