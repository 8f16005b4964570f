import { answerTurns, hasTurns } from "./answer-turns.ts";
import { findSessions, isOfTest, runSessions } from "./find-sessions.ts";
import { recordSession } from "./record-session.ts";
import { replaySession } from "./replay-session.ts";
import type { AnswerSession } from "./session-parts.ts";

/**
 * Answers a client that asks for a WebSocket, depending on the mode. Record mode replays the test's sessions that the run has
 * not used yet, and records others.
 */
export const answerSession: AnswerSession = async (exchange, request, parts) => {
  if (hasTurns(exchange.call)) return answerTurns(exchange, request, parts);
  const { mode } = parts;
  const { test, run } = exchange.call;
  const { used, recorded } = runSessions(run);
  const sessions = mode === "live" ? [] : await findSessions(exchange, request, parts);
  if (mode === "strict" || mode === "lenient") return replaySession(exchange, { request, sessions }, parts);
  const unused = sessions.filter(
    ({ entry, recording }) => isOfTest(recording.test, test) && !used.has(entry) && !recorded.has(entry),
  );
  if (mode === "record" && unused.length > 0)
    return replaySession(exchange, { request, sessions: unused }, parts);
  const keeping = mode === "live" ? "pass" : mode === "refresh" ? "replace" : "add";
  const replaced = mode === "refresh" ? unused[0] : undefined;
  return recordSession(exchange, { request, keeping, replaced }, parts);
};
