import type { ServerResponse } from "node:http";
import { aServer } from "./a-server.ts";

/** A server of agents on this machine: OpenAI's and Anthropic's sessions, and Gemini's interactions. Their streams stay open. */
export interface AgentServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Requests so far: "GET /v1/sessions/sesn_1/events/stream". */
  readonly opened: readonly string[];
}

type Fields = Record<string, unknown>;

/** @param failures how many posts are answered with status 503 first */
export async function anAgentServer(failures = 0): Promise<AgentServer> {
  let failing = failures;
  const opened: string[] = [];
  const streams = new Set<ServerResponse>();
  let ids = 0;
  const say = (events: readonly Fields[]): void =>
    events.forEach((event) => {
      const numbered = { event_id: `evt_${(ids += 1)}`, id: `evt_${ids}`, ...event };
      const name = String(event["type"] ?? event["event_type"]);
      for (const stream of streams) stream.write(`event: ${name}\ndata: ${JSON.stringify(numbered)}\n\n`);
    });
  const url = await aServer((request, response) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const open = (): void => {
      streams.add(response.writeHead(200, { "content-type": "text/event-stream" }));
      response.flushHeaders();
      response.on("close", () => streams.delete(response));
    };
    opened.push(`${String(request.method)} ${path}`);
    const isStream = /\/events\/stream$|\/agents\/.*\/events$|\/interactions\/[^/]+$/.test(path);
    if (request.method === "GET" && isStream) {
      open();
      if (path.includes("interactions")) say(INTERACTION);
      return;
    }
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => {
      if (request.method === "POST" && failing > 0) {
        failing -= 1;
        response.writeHead(503, { "retry-after-ms": "1" }).end("{}");
        return;
      }
      const fields = (body === "" ? {} : JSON.parse(body)) as Fields;
      if (fields["stream"] === true) {
        open();
        say([{ type: "agent.session.created", session: { id: "asess_1" } }, ...byOpenAI(fields)]);
        return;
      }
      const isAccepted = path.includes("/agents/") && path.endsWith("/events");
      response.writeHead(isAccepted ? 202 : 200, { "content-type": "application/json" });
      response.end(isAccepted ? undefined : JSON.stringify(resourceAt(path)));
      if (request.method === "POST") say(answersTo(path, fields));
      if (path.endsWith("/cancel")) for (const stream of streams) stream.end();
    });
  });
  return { url, opened };
}

const INTERACTION = [
  {
    event_type: "interaction.created",
    interaction: { id: "v1_1", object: "interaction", status: "in_progress" },
  },
  { event_type: "step.start", index: 0, step: { type: "model_output" } },
  { event_type: "step.delta", index: 0, delta: { type: "text", text: "Thinking about it" } },
];

function resourceAt(path: string): Fields {
  if (path.includes("/agents/")) return { id: "asess_1", object: "agent.session", status: "idle" };
  if (path.includes("interactions")) return { id: "v1_1", object: "interaction", status: "cancelled" };
  return { data: [] };
}

/** The events that follow a request. */
function answersTo(path: string, body: Fields): readonly Fields[] {
  if (path.endsWith("/cancel")) {
    const interaction = { id: "v1_1", object: "interaction", status: "cancelled" };
    return [
      { event_type: "step.stop", index: 0 },
      { event_type: "interaction.completed", interaction },
    ];
  }
  const [event = {}] = (body["events"] ?? []) as readonly Fields[];
  return path.includes("/agents/") ? byOpenAI(event) : byAnthropic(event);
}

function byAnthropic({ content }: Fields): readonly Fields[] {
  const [{ text = "" } = {}] = content as readonly Fields[];
  return [
    { type: "session.status_running" },
    { type: "agent.message", content: [{ type: "text", text: `Echo: ${String(text)}` }] },
    { type: "session.status_idle", stop_reason: { type: "end_turn" } },
  ];
}

/** Asks for a tool after a message, and ends the turn after the result of the tool. */
function byOpenAI({ type, input, output }: Fields): readonly Fields[] {
  const turn = { turn_id: "turn_1", session_id: "asess_1" };
  if (type === "agent.session.input.tool_result")
    return [
      { type: "agent.session.turn.output_text.done", ...turn, text: `The tool answered ${String(output)}` },
      { type: "agent.session.turn.completed", ...turn, turn: { id: "turn_1", subagent_id: null } },
      { type: "agent.session.idle", session: { id: "asess_1", status: "idle" } },
    ];
  const about = JSON.stringify({ about: input });
  return [
    { type: "agent.session.turn.created", ...turn, turn: { id: "turn_1", subagent_id: null } },
    {
      type: "agent.session.turn.item.added",
      ...turn,
      item: { type: "function_call", turn_id: "turn_1", call_id: "call_1", name: "look", arguments: about },
    },
  ];
}
