import type { TestRef } from "../../core/call/call.ts";
import { inOrderOfAsking } from "../../core/view/conversation/asked-order.ts";
import { explain } from "../../core/base/errors.ts";
import { type AskedRecording, renderConversation } from "../../core/view/conversation-document.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { Session } from "../session/session.ts";
import { testId } from "../../core/call/test-names.ts";
import { missingCalls } from "../findings/findings-model.ts";
import { plainDocument, SHOWN } from "./document-content-model.ts";
import { testsOfEntry } from "./document-actions.ts";

/** More calls than that nobody reads in one piece. */
const CALLS = 500;

type Test = Pick<TestRef, "file" | "name">;
type Sources = { readonly session: Session; readonly index: RecordingIndex };

/** All that a test asks for, as the conversations that it is. */
export async function testDocument(test: Test, sources: Sources): Promise<RenderedDocument> {
  const entries = await entriesOf(test, sources);
  if (entries.length === 0)
    return plainDocument("No recording of this test is left. Record it, then its calls can be read here.");
  const shown = entries.slice(0, CALLS);
  const asked = await Promise.all(
    shown.map(async (entry): Promise<AskedRecording> => ({ entry, read: await readOne(entry, sources) })),
  );
  const seen = sources.session.state.testsOf(shown[0] ?? "").find((one) => testId(one) === testId(test));
  const missing = missingCalls(sources.session.state.findings).filter(
    (call) => call.test && testId(call.test) === testId(test),
  );
  return renderConversation(seen ?? test, asked, {
    cutAt: SHOWN,
    more: entries.length - shown.length,
    missing: missing.length,
  });
}

async function readOne(entry: string, { index }: Sources): Promise<AskedRecording["read"]> {
  try {
    return await index.read(entry);
  } catch (error) {
    return { failure: explain(error) };
  }
}

/** What it used when it last ran; where that was not seen here, what its files say. */
async function entriesOf(test: Test, { session, index }: Sources): Promise<readonly string[]> {
  const addresses = await index.addresses();
  const used = session.state.entriesOf(test).filter((entry) => addresses.has(entry));
  if (used.length > 0) return used;
  index.readAll();
  await index.settled();
  const wanted = testId(test);
  const own = [...addresses.values()].filter(({ entry }) =>
    testsOfEntry(entry, { session, index }).some((one) => testId(one) === wanted),
  );
  const ordered = inOrderOfAsking(own, [], (address) => {
    const facts = index.facts(address.entry);
    return { ...address, recordedAt: facts?.kind === "read" ? facts.recordedAt : Infinity };
  });
  return ordered.map(({ entry }) => entry);
}
