import { DASHSCOPE_FAMILY } from "../../../core/protocol/dashscope/reply.ts";
import { readCount, readFields, readList, readText } from "../../../core/base/lenient.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";
import { chatError, statusError, type ChatError } from "../../errors.ts";
import type { ChatRequest } from "../../request.ts";
import { readPieces, readTextPieces, type Folding } from "../fold.ts";
import { readChatFinish } from "../openai/chat/reading.ts";
import { STRUCTURED_TOOL } from "../request-parts.ts";
import { retryAfter } from "../sdk-failure.ts";

export function foldDashscope({ output }: ChatRequest): Folding {
  let calls = 0;
  return {
    family: DASHSCOPE_FAMILY,
    whole: (answer) =>
      readList(readFields(answer["output"])["choices"]).length === 0
        ? { ...answer, output: undefined }
        : answer,
    name: "DashScope",
    provider: "dashscope",
    fail,
    reasonOf: (raw) => (calls === 0 ? readChatFinish(raw) : output === undefined ? "tool-calls" : "stop"),
    pieces(event) {
      if (event.type !== "call") return readPieces(event);
      calls += 1;
      // The arguments of the forced tool are the structured answer.
      const isAnswer = output !== undefined && event.name === STRUCTURED_TOOL;
      return isAnswer
        ? readTextPieces({ type: "text", index: 1, text: event.arguments ?? "" })
        : readPieces(event);
    },
  };
}

function fail(failed: unknown): ChatError {
  const answer = readFields(failed);
  const status = readCount(answer["status_code"]) ?? 500;
  const [code = "", message = "", requestId] = [answer["code"], answer["message"], answer["request_id"]].map(
    readText,
  );
  if (code === "tapedeck_miss") return chatError("not-recorded", message, { provider: "dashscope", status });
  if (code === "tapedeck_upstream")
    return chatError("connection", message, { provider: "dashscope", status });
  const retryAfterMs = retryAfter(undefined, readText(answer["retry_after"]));
  return statusError(status, code === "" ? message : `${code}: ${message}`, {
    provider: "dashscope",
    ...pickDefined({ requestId, retryAfterMs }),
  });
}
