import { turnFactsOf } from "../../core/view/conversation/turn-facts.ts";
import type { RecordingView } from "../../core/view/describe.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { instantOf } from "../../core/base/age.ts";
import { statusText } from "../../core/view/row.ts";
import { modelOf, searchableText, type ReadFacts } from "./call-facts-model.ts";

/** `keep`: maximum characters of the searchable text that stay in memory. */
export function factsFromReading(reading: RecordingView, keep: number): ReadFacts {
  const { recording, projection } = reading;
  const text = searchableText(reading);
  const model = modelOf(reading);
  const turn = turnFactsOf(reading);
  return {
    kind: "read",
    operation: recording.operation,
    ...pickDefined({ model }),
    label: turn.asked,
    turn,
    ...pickDefined({ test: recording.test }),
    recordedAt: instantOf(recording.recordedAt) ?? 0,
    ...pickDefined({ usage: projection.usage }),
    ...(statusText(recording.reply.status) !== undefined && { status: recording.reply.status }),
    text: text.length <= keep ? { kept: text, whole: true } : { kept: text.slice(0, keep), whole: false },
  };
}
