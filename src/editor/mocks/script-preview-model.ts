import { messageText } from "../../core/view/message-text.ts";
import type { Miss } from "../../core/call/call.ts";
import { isFailed, type CallMatch, type ScriptedReply } from "../../core/call/mocks.ts";
import { readScript } from "../../core/config/read-script.ts";
import { explain } from "../../core/base/errors.ts";
import { plural } from "../../core/base/plural.ts";
import { createDocumentWriter, type DocumentWriter } from "../../core/view/rendered-document.ts";
import { shorten } from "../../core/view/row.ts";
import type { Deck } from "../../deck/deck.ts";
import type { MissingCall } from "../findings/findings-model.ts";

interface PreviewSources {
  readonly deck: Pick<Deck, "rehearse">;
  /** Calls that nothing is recorded for, oldest first. */
  readonly calls: readonly MissingCall[];
}

/** So many calls are answered in a preview. */
const SHOWN = 50;

/** What a script would answer, as text: the calls of this window that it is for, in order, and each of its replies. */
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
  writer.line(`${file} · ${plural(script.length, "reply", "replies")}`);
  writer.line();
  const shown = calls.slice(0, SHOWN);
  await writeCalls(writer, script, { deck, calls: shown });
  writer.section("replies");
  for (const [index, reply] of script.entries())
    writer.line(`${index + 1}. for ${whichCalls(reply)}: ${replyText(reply)}`);
  return writer.finish().text;
}

async function writeCalls(
  writer: DocumentWriter,
  script: readonly ScriptedReply[],
  { deck, calls }: PreviewSources,
): Promise<void> {
  writer.section("first calls");
  if (calls.length === 0) {
    writer.line("No call is missing in this window: run the tests once, and their calls stand here.");
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
      const failed = status === 200 ? "" : `status ${status}, `;
      writer.line(`   ${failed}${one.by}: ${quoteText(messageText(one.view.projection.messages[0]))}`);
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
  const words = [
    ...(provider === undefined ? [] : [`to ${provider}`]),
    ...(model === undefined ? [] : [`of ${model}`]),
    ...(text === undefined ? [] : [`with "${shorten(text, 40)}"`]),
    ...(test === undefined ? [] : [`in tests named "${shorten(test, 40)}"`]),
  ].join(" ");
  if (times === "always") return `every call${words === "" ? "" : ` ${words}`}`;
  return `${times === 1 ? "one call" : `${times} calls`}${words === "" ? "" : ` ${words}`}`;
}

function replyText(reply: ScriptedReply): string {
  if (isFailed(reply))
    return `status ${reply.status}${reply.message === undefined ? "" : `, ${reply.message}`}`;
  if ("kosong" in reply) return quoteText(reply.kosong);
  if (typeof reply.reply === "string") return quoteText(reply.reply);
  const { text, toolCalls = [], finish } = reply.reply;
  return [
    ...(text === undefined ? [] : [quoteText(text)]),
    ...toolCalls.map(({ name, arguments: args = {} }) =>
      shorten(`${name}(${typeof args === "string" ? args : JSON.stringify(args)})`, 100),
    ),
    ...(finish === undefined ? [] : [`ends with ${finish}`]),
  ].join(", ");
}

const quoteText = (text: string): string => (text === "" ? "(empty)" : `"${shorten(text, 100)}"`);
