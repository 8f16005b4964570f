import { explain, whereOurs } from "../core/errors.ts";
import { type AskedRecording, renderConversation } from "../core/view/conversation-document.ts";
import { chainsOf, type Chain } from "../core/conversation/turns.ts";
import { turnFactsOf } from "../core/conversation/turn-facts.ts";
import { visibleJson } from "../core/view/visible.ts";
import type { RecordingView } from "../core/describe.ts";
import type { Deck } from "../deck/deck.ts";
import { findTest, recordedTests } from "./recorded-tests.ts";
import type { Terminal } from "./terminal.ts";

/** Shows what a test asks for, in the order of asking, as the conversations that it is. */
export async function showTest(
  named: string,
  deck: Deck,
  { json, terminal }: { readonly json: boolean; readonly terminal: Terminal },
): Promise<void> {
  const { test, uses } = findTest(named, await recordedTests(deck, terminal));
  const asked: AskedRecording[] = [];
  for (const { entry } of uses) asked.push({ entry, read: await readOne(entry, deck) });
  if (!json) return terminal.out(renderConversation(test, asked).text);
  const chains = chainsOf(asked, ({ read }) => ("failure" in read ? undefined : turnFactsOf(read)));
  const { file, name } = test;
  terminal.out(`${visibleJson({ test: { file, name }, conversations: chains.map(chainJson) }, 2)}\n`);
}

function readOne(entry: string, deck: Deck): Promise<AskedRecording["read"]> {
  return deck.store
    .read(entry)
    .then((recording) => deck.describe(recording))
    .catch(whereOurs((error) => ({ failure: explain(error) })));
}

function chainJson({ turns, branches }: Chain<AskedRecording>): unknown {
  return {
    turns: turns.map(({ number, call: { entry, read } }) => ({
      number,
      entry,
      ...("failure" in read ? { broken: read.failure } : turnJson(read)),
    })),
    branches: branches.map(chainJson),
  };
}

function turnJson(view: RecordingView): Readonly<Record<string, unknown>> {
  const { recording, projection, facts } = view;
  const { asked, answered } = turnFactsOf(view);
  return { model: recording.model ?? facts.model ?? null, asked, answered, usage: projection.usage ?? null };
}
