import { findingText } from "../../core/view/finding.ts";
import * as vscode from "vscode";
import { explain } from "../../core/base/errors.ts";
import { messageText } from "../../core/view/message-text.ts";
import { testPlace, testTitle } from "../../core/call/names.ts";
import { unusedText } from "../../storage/check/findings.ts";
import { isMissingCall } from "../findings/findings-model.ts";
import type { Session } from "../session/session.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import { visible } from "../../core/base/visible.ts";
import { plain, plainLine } from "../window/messages-model.ts";
import type { CallNode } from "../calls/call-node-model.ts";
import { costText } from "../../core/call/spending.ts";

interface TooltipContext {
  readonly session: Session;
  readonly index: RecordingIndex;
}

/** Made when somebody points at a line, because it reads the recording. */
export async function tooltipOf(
  node: CallNode,
  own: TooltipContext,
): Promise<vscode.MarkdownString | string> {
  const tooltip = await tooltipText(node, own);
  return typeof tooltip === "string" ? plain(tooltip) : tooltip;
}

async function tooltipText(
  { subject, description, spoken }: CallNode,
  { session, index }: TooltipContext,
): Promise<vscode.MarkdownString | string> {
  if (subject.kind === "finding") {
    const { finding } = subject;
    const { test } = finding;
    if (isMissingCall(finding) && finding.madeUp) {
      const { madeUp } = finding;
      const { conversation, projection } = session.deck.describeMadeUp(madeUp);
      const asked = messageText(conversation.messages.findLast(({ role }) => role === "user"));
      const place = test ? [`${testPlace(test)}  ${testTitle(test)}`] : [];
      const by = `Made up by ${madeUp.by}; nobody recorded it.`;
      return quoteCall(asked, messageText(projection.messages[0]), [by, ...place]);
    }
    if (finding.kind === "faulty") return spoken;
    if (!isMissingCall(finding)) return findingText(finding);
    return [test ? `${testPlace(test)}  ${testTitle(test)}` : spoken, findingText(finding)].join("\n");
  }
  if (subject.kind === "cached") return quoteCall(subject.asked, subject.answer, [description]);
  if (subject.kind !== "recording") return spoken;
  const { entry } = subject.address;
  try {
    const { conversation, projection, cost } = await index.read(entry);
    const asked = messageText(conversation.messages.findLast(({ role }) => role === "user"));
    const tests = session.state.testsOf(entry).map((test) => `${testPlace(test)}  ${testTitle(test)}`);
    const unused = session.state.whyUnused(entry);
    const remarks = unused ? [unusedText(unused)] : [];
    const facts = cost === undefined ? description : `${description} · ${costText(cost)}`;
    return quoteCall(asked, messageText(projection.messages[0]), [facts, ...remarks, ...tests, entry]);
  } catch (error) {
    return explain(error);
  }
}

function quoteCall(asked: string, answered: string, lines: readonly string[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  if (asked !== "") tooltip.appendCodeblock(visible(shorten(asked)), "plaintext");
  tooltip.appendCodeblock(visible(shorten(answered)), "plaintext");
  for (const line of lines) tooltip.appendText(`${plainLine(line)}\n`);
  return tooltip;
}

const TOOLTIP_CHARACTERS = 400;

function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 3 * TOOLTIP_CHARACTERS));
  return characters.length <= TOOLTIP_CHARACTERS
    ? text
    : `${characters.slice(0, TOOLTIP_CHARACTERS).join("")}…`;
}
