import { readTurnFacts } from "../../core/view/conversation/turn-facts.ts";
import type { RecordingView } from "../../core/view/describe.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { parseInstant } from "../../core/base/age.ts";
import { formatStatus } from "../../core/view/row.ts";
import { readModel, collectSearchableText, type ReadFacts } from "./call-facts-model.ts";

/** Collects the facts of a recording. `keep`: maximum characters of the searchable text that stay in memory. */
export function collectFacts(reading: RecordingView, keep: number): ReadFacts {
  const { recording, projection } = reading;
  const text = collectSearchableText(reading);
  const model = readModel(reading);
  const turn = readTurnFacts(reading);
  return {
    kind: "read",
    operation: recording.operation,
    ...pickDefined({ model }),
    label: turn.asked,
    turn,
    ...pickDefined({ test: recording.test }),
    recordedAt: parseInstant(recording.recordedAt) ?? 0,
    ...pickDefined({ usage: projection.usage }),
    ...(formatStatus(recording.reply.status) !== undefined && { status: recording.reply.status }),
    text: text.length <= keep ? { kept: text, whole: true } : { kept: text.slice(0, keep), whole: false },
  };
}
