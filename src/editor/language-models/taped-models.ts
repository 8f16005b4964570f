import { localize } from "../../core/base/localize.ts";
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Run } from "../../core/call/call.ts";
import { createResponse } from "../../core/answer/fetch.ts";
import { createFrameCutter, readFrame } from "../../core/base/wire/sse.ts";
import { decodeText, encodeUtf8 } from "../../core/base/wire/text.ts";
import { readFields, readText, tryParsePlainJson } from "../../core/base/lenient.ts";
import type { Deck } from "../../deck/deck.ts";
import { getCurrentTest } from "./current-test.ts";
import type { ModelInformation, ModelMessage, ModelProvider, ModelRequestOptions } from "./newer-vscode.ts";
import { createPart, readMessage } from "./parts.ts";
import {
  createChatReply,
  createJsonReply,
  listRealModels,
  PENDING,
  readFactsOfModel,
  TICKET,
  type AskModel,
} from "./real-models.ts";
import {
  buildMessages,
  buildRequestBody,
  createReplyReader,
  readModelFacts,
  type ModelFacts,
  type ModelPart,
} from "./wire-model.ts";

/** The folder that records and replays calls of language models. */
export interface TapedFolder {
  /** Absolute path. */
  readonly path: string;
  readonly deck: Deck;
  readonly run: Run;
}

export type FindTapedFolder = () => Promise<TapedFolder | undefined>;

export type TapedModels = Omit<ModelProvider, "onDidChangeLanguageModelChatInformation">;

/** Offers a taped twin of each model of the window and of each model in the recordings. */
export function createTapedModels(folder: FindTapedFolder): TapedModels {
  const expectFolder = async (): Promise<TapedFolder> => {
    const found = await folder();
    if (found === undefined)
      throw vscode.LanguageModelError.NotFound(
        localize("Tapedeck is off in this window. Turn it on to use its language models."),
      );
    return found;
  };
  return {
    async provideLanguageModelChatInformation() {
      const found = await folder();
      if (found === undefined || !isForDevelopment()) return [];
      const real = (await listRealModels()).map(readFactsOfModel);
      const known = new Map((await listRecordedModels(found.deck)).map((facts) => [facts.id, facts]));
      for (const facts of real) known.set(facts.id, facts);
      return [...known.values()].map(describeTwin);
    },
    async provideLanguageModelChatResponse(...[model, messages, options, progress, token]) {
      const response = await send(await expectFolder(), token, createChat(model, messages, options));
      await reportParts(response, progress, token);
    },
    async provideTokenCount(model, text, token) {
      const response = await send(await expectFolder(), token, createCount(model, text));
      const body = await response.text();
      const count = readFields(tryParsePlainJson(body))["input_tokens"];
      if (!response.ok || typeof count !== "number") throw createError(response.status, body);
      return count;
    },
  };
}

/** Twins are for tests. In other windows they would only make the list of models longer. */
const isForDevelopment = (): boolean =>
  vscode.extensions.all.some(({ packageJSON }) => readFields(packageJSON)["isUnderDevelopment"] === true);

/** Names the twin like its model, so that a selector by family or version finds both. */
const describeTwin = ({ id, name, family, version, maxInputTokens }: ModelFacts): ModelInformation => ({
  id,
  name: `${name} (Tapedeck)`,
  family,
  version,
  detail: localize("Recorded and replayed by Tapedeck"),
  maxInputTokens,
  maxOutputTokens: maxInputTokens,
  capabilities: { imageInput: true, toolCalling: true },
});

/** Reads one recording of each model. */
async function listRecordedModels({ store, readFacts }: Deck): Promise<readonly ModelFacts[]> {
  const addresses = (await store.list()).filter(({ provider }) => provider === "vscode");
  const entries = new Map<string, string>();
  for await (const { address, facts } of readFacts(addresses))
    if (facts?.model !== undefined && facts.operation === "chat.completions" && !entries.has(facts.model))
      entries.set(facts.model, address.entry);
  const replies = await Promise.all([...entries.values()].map(async (entry) => store.read(entry)));
  return replies.flatMap(({ reply }) => readModelFacts(decodeText(reply.body)) ?? []);
}

interface TapedRequest {
  readonly path: string;
  readonly body: object;
  readonly askModel: AskModel;
}

const createChat = (
  { id }: ModelInformation,
  messages: readonly ModelMessage[],
  options: ModelRequestOptions,
): TapedRequest => ({
  path: "/v1/chat/completions",
  body: buildRequestBody({
    model: id,
    messages: messages.map(readMessage),
    ...(options.tools && { tools: options.tools }),
    isToolRequired: options.toolMode === vscode.LanguageModelChatToolMode.Required,
    modelOptions: options.modelOptions,
  }),
  askModel: async (model, token) =>
    createChatReply(
      model,
      await model.sendRequest(messages.map(createRealMessage), createRealOptions(options), token),
      token,
    ),
});

const createCount = ({ id }: ModelInformation, text: string | ModelMessage): TapedRequest => ({
  path: "/v1/responses/input_tokens",
  body: { model: id, input: typeof text === "string" ? text : buildMessages([readMessage(text)]) },
  askModel: async (model, token) =>
    createJsonReply(200, {
      object: "response.input_tokens",
      input_tokens: await model.countTokens(typeof text === "string" ? text : createRealMessage(text), token),
    }),
});

const createRealMessage = ({ role, content, name }: ModelMessage): vscode.LanguageModelChatMessage =>
  new vscode.LanguageModelChatMessage(role, content as vscode.LanguageModelChatMessage["content"], name);

const createRealOptions = ({
  tools,
  toolMode,
  modelOptions,
}: ModelRequestOptions): vscode.LanguageModelChatRequestOptions => ({
  justification: localize("Tapedeck records the answers for your tests."),
  ...(tools && tools.length > 0 && { tools: [...tools], toolMode }),
  ...(modelOptions && { modelOptions: { ...modelOptions } }),
});

async function send(
  { path: root, deck, run }: TapedFolder,
  token: vscode.CancellationToken,
  { path, body, askModel }: TapedRequest,
): Promise<Response> {
  const ticket = randomUUID();
  const leaving = new AbortController();
  token.onCancellationRequested(() => leaving.abort());
  PENDING.set(ticket, askModel);
  const test = getCurrentTest(root);
  const answer = await deck.engine.answer({
    provider: "vscode",
    method: "POST",
    path,
    headers: [
      ["content-type", "application/json"],
      [TICKET, ticket],
    ],
    body: encodeUtf8(JSON.stringify(body)),
    signal: leaving.signal,
    run,
    ...(test && { test }),
  });
  void answer.settled.then(() => PENDING.delete(ticket));
  return createResponse(answer);
}

/** Reports each part as it arrives. @throws LanguageModelError for a miss and for a recorded error */
async function reportParts(
  response: Response,
  progress: vscode.Progress<unknown>,
  token: vscode.CancellationToken,
): Promise<void> {
  if (!response.ok) throw createError(response.status, await response.text());
  const cutter = createFrameCutter();
  const reader = createReplyReader();
  const report = (parts: readonly ModelPart[]): void => {
    for (const part of parts.map(createPart)) if (part !== undefined) progress.report(part);
  };
  for await (const bytes of response.body ?? []) {
    if (token.isCancellationRequested) return;
    for (const frame of cutter.push(bytes)) report(reader.read(readFrame(decodeText(frame)).data ?? ""));
  }
  report(reader.end());
}

/** Restores the error of the model from its code. The message of a miss has the differences. */
function createError(status: number, body: string): vscode.LanguageModelError {
  const error = readFields(readFields(tryParsePlainJson(body))["error"]);
  const message =
    readText(error["message"]) ?? localize("The language model failed with status {0}.", status);
  if (error["code"] === "NoPermissions") return vscode.LanguageModelError.NoPermissions(message);
  if (error["code"] === "Blocked") return vscode.LanguageModelError.Blocked(message);
  return status === 404
    ? vscode.LanguageModelError.NotFound(message)
    : new vscode.LanguageModelError(message);
}
