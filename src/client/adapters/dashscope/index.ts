/** DashScope by its native API, without an SDK. */
import { readFields } from "../../../core/base/lenient.ts";
import type { ChatClient } from "../../chat-client.ts";
import { collect } from "../../merge-pieces.ts";
import type { ChatRequest } from "../../request.ts";
import { realSurroundings, type Surroundings } from "../../surroundings.ts";
import { CONNECTION, createAdapter, expectConnection } from "../adapter.ts";
import { type DashscopeConnection, sendDashscope } from "./send.ts";
import { foldDashscope } from "./reading.ts";
import { buildDashscopeCall, thinks } from "./request.ts";

export type { DashscopeConnection } from "./send.ts";

export interface DashscopeOptions extends DashscopeConnection {
  readonly model: string;
  readonly surroundings?: Partial<Surroundings>;
}

const DASHSCOPE_OPTIONS = { ...CONNECTION, model: true, surroundings: true } as const;

/** Makes a client. Media go to the multimodal endpoint; `settings.extra` overrides `parameters`. @throws ChatError "validation" for invalid options */
export function createDashscope(options: DashscopeOptions): ChatClient {
  expectConnection(options, DASHSCOPE_OPTIONS);
  const { model } = options;
  const around = realSurroundings(options.surroundings);
  const client = createAdapter({
    provider: "dashscope",
    model,
    body: (request, stream) => buildDashscopeCall(request, { model, stream }, (entry) => around.log(entry)),
    send: ({ endpoint, model: requested, messages, parameters, stream, ...extra }, limits) =>
      sendDashscope(
        options,
        {
          endpoint: endpoint === "multimodal" ? "multimodal" : "generation",
          model: String(requested),
          messages,
          parameters: { ...readFields(parameters), ...extra },
          stream: stream === true,
        },
        limits,
      ),
    folding: foldDashscope,
  });
  const complete = (request: ChatRequest) =>
    thinks(request) ? collect(client.stream(request), request.output) : client.complete(request);
  return { ...client, complete };
}
