import { messageText } from "../../core/view/message-text.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import { recordingOfMiss } from "../../core/view/miss.ts";
import { shorten } from "../../core/view/row.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import type { Session } from "../session/session.ts";
import { sayInformation } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";
import { mockAnswers } from "./mock-answers-model.ts";

/** Lets a person pick what a mock would answer; undefined where they gave up, or none would. */
export async function pickMockReply(
  { miss, madeUp }: MissingCall,
  { session: { deck } }: { readonly session: Session },
): Promise<Recording | undefined> {
  const recordedAt = new Date().toISOString();
  const given = madeUp && {
    label: "What it was given",
    description: madeUp.by,
    recording: recordingOfMiss(miss, madeUp.reply, { recordedAt }),
    view: deck.describeMadeUp(madeUp),
  };
  const would = (await mockAnswers(miss, deck)).flatMap(({ name, mocked }) =>
    "problem" in mocked ? [] : [{ label: name, description: mocked.by, ...mocked }],
  );
  const items = [...(given ? [given] : []), ...would].map((one) => ({
    ...one,
    icon: "beaker",
    detail: shorten(messageText(one.view.projection.messages[0]), 200) || "(empty)",
  }));
  if (items.length === 0) {
    void sayInformation("No mock has an answer to this call.");
    return undefined;
  }
  const placeholder = "Which answer is to be recorded? It is opened first, and kept when it is saved";
  return (await pickOne(items, { title: "Tapedeck: take a mock's reply", placeholder }))?.recording;
}
