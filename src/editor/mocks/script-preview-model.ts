import { joinList, localize } from "../../core/base/localize.ts";
import { messageText } from "../../core/view/message-text.ts";
import type { Miss } from "../../core/call/call.ts";
import { isFailed, type CallMatch, type ScriptedReply } from "../../core/call/mocks.ts";
import { readScript } from "../../core/config/read-script.ts";
import { explain } from "../../core/base/errors.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { createDocumentWriter, type DocumentWriter } from "../../core/view/rendered-document.ts";
import { shorten } from "../../core/view/row.ts";
import type { Deck } from "../../deck/deck.ts";
import type { MissingCall } from "../findings/findings-model.ts";

interface PreviewSources {
  readonly deck: Pick<Deck, "rehearse">;
  /** Missing calls, oldest first. */
  readonly calls: readonly MissingCall[];
}

/** Maximum calls in a preview. */
const SHOWN = 50;

/** Renders a script: its answers to the missing calls of this window, in order, and all its replies. */
export async function scriptPreview(
  { text, file }: { readonly text: string; readonly file: string },
  { deck, calls }: PreviewSources,
): Promise<string> {
  const writer = createDocumentWriter();
  let script: readonly ScriptedReply[];
  try {
    script = readScript(text, file);
  } catch (error) {
    writer.block(explain(error));
    return writer.finish().text;
  }
  writer.line(`${file} · ${localizeCount(script.length, "{0} reply", "{0} replies")}`);
  writer.line();
  const shown = calls.slice(0, SHOWN);
  await writeCalls(writer, script, { deck, calls: shown });
  writer.section(localize("replies"));
  for (const [index, reply] of script.entries())
    writer.line(localize("{0}. for {1}: {2}", index + 1, whichCalls(reply), replyText(reply)));
  return writer.finish().text;
}

async function writeCalls(
  writer: DocumentWriter,
  script: readonly ScriptedReply[],
  { deck, calls }: PreviewSources,
): Promise<void> {
  writer.section(localize("first calls"));
  if (calls.length === 0) {
    writer.line(localize("No call is missing in this window. Run the tests once to see their calls here."));
    return;
  }
  const misses: readonly Miss[] = calls.map(({ miss }) => miss);
  const mocked = await deck.rehearse(misses, { script });
  for (const [index, one] of mocked.entries()) {
    const { miss, test } = calls[index] ?? {};
    if (miss === undefined) continue;
    const where = test === undefined ? "" : `  ${test.file}${test.line === undefined ? "" : `:${test.line}`}`;
    writer.line(`${index + 1}. ${miss.model ?? miss.operation} "${shorten(miss.label)}"${where}`);
    if ("problem" in one) writer.line(`   ✘ ${shorten(one.problem, 200)}`);
    else {
      const { status } = one.recording.reply;
      const facts = [...(status === 200 ? [] : [localize("status {0}", status)]), one.by];
      const text = quoteText(messageText(one.view.projection.messages[0]));
      writer.line(`   ${localize("{0}: {1}", joinList(facts), text)}`);
    }
  }
}

function whichCalls({
  provider,
  model,
  text,
  test,
  times = 1,
}: CallMatch & Pick<ScriptedReply, "times">): string {
  const facts = [
    ...(provider === undefined ? [] : [localize("provider {0}", provider)]),
    ...(model === undefined ? [] : [localize("model {0}", model)]),
    ...(text === undefined ? [] : [localize('text "{0}"', shorten(text, 40))]),
    ...(test === undefined ? [] : [localize('tests named "{0}"', shorten(test, 40))]),
  ];
  const calls = times === "always" ? localize("every call") : localizeCount(times, "{0} call", "{0} calls");
  return facts.length === 0 ? calls : localize("{0} ({1})", calls, joinList(facts));
}

function replyText(reply: ScriptedReply): string {
  if (isFailed(reply))
    return joinList([
      localize("status {0}", reply.status),
      ...(reply.message === undefined ? [] : [reply.message]),
    ]);
  if ("kosong" in reply) return quoteText(reply.kosong);
  if (typeof reply.reply === "string") return quoteText(reply.reply);
  const { text, toolCalls = [], finish } = reply.reply;
  return joinList([
    ...(text === undefined ? [] : [quoteText(text)]),
    ...toolCalls.map(({ name, arguments: args = {} }) =>
      shorten(`${name}(${typeof args === "string" ? args : JSON.stringify(args)})`, 100),
    ),
    ...(finish === undefined ? [] : [localize("ends with {0}", finish)]),
  ]);
}

const quoteText = (text: string): string => (text === "" ? localize("(empty)") : `"${shorten(text, 100)}"`);
