import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { Connect } from "../../core/answer/source/source.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";
import { readFields, readList, readText, tryParsePlainJson } from "../../core/base/lenient.ts";
import { decodeText, encodeUtf8 } from "../../core/base/wire/text.ts";
import { readPart } from "./parts.ts";
import { TAPED_VENDOR } from "./newer-vscode.ts";
import { writeReply, type ModelFacts, type ModelPart } from "./wire-model.ts";

/** Links a call to the messages as VS Code has them. Headers are never recorded. */
export const TICKET = "x-vscode-request";

type ModelReply = Awaited<ReturnType<Connect>>;

/** Repeats the request of the extension under test to one of the window's own models. */
export type AskModel = (
  model: vscode.LanguageModelChat,
  token: vscode.CancellationToken,
) => Promise<ModelReply>;

/** Requests that are being answered, by ticket. */
export const PENDING = new Map<string, AskModel>();

/** Returns the window's own models. */
export async function listRealModels(): Promise<readonly vscode.LanguageModelChat[]> {
  const vendors = new Set(vscode.extensions.all.flatMap(listVendors));
  vendors.delete(TAPED_VENDOR);
  // A selection without a vendor would ask for the taped models as well, which waits for this list.
  const models = await Promise.all(
    [...vendors].map((vendor) => Promise.resolve(vscode.lm.selectChatModels({ vendor })).catch(() => [])),
  );
  return models.flat();
}

function listVendors({ packageJSON }: vscode.Extension<unknown>): readonly string[] {
  const declared = readFields(readFields(packageJSON)["contributes"])["languageModelChatProviders"];
  return (Array.isArray(declared) ? readList(declared) : [declared]).flatMap(
    (one) => readText(readFields(one)["vendor"]) ?? [],
  );
}

/** Returns the facts of one of the window's own models. */
export const readFactsOfModel = ({
  vendor,
  id,
  name,
  family,
  version,
  maxInputTokens,
}: vscode.LanguageModelChat): ModelFacts => ({
  id: `${vendor}/${id}`,
  name,
  family,
  version,
  maxInputTokens,
});

/** Connects calls to the window's own models instead of a network. VS Code asks the person for consent. */
export const connectToModels: Connect = async ({ headers, body, signal }) => {
  const askModel = PENDING.get(headers.find(([name]) => name === TICKET)?.[1] ?? "");
  if (askModel === undefined)
    throw new Error(localize("Only the extension that asked can send this request again."));
  const id = readText(readFields(tryParsePlainJson(decodeText(body)))["model"]);
  const model = (await listRealModels()).find((one) => readFactsOfModel(one).id === id);
  if (model === undefined)
    return createErrorReply("NotFound", localize("This window has no language model {0}.", id ?? ""));
  const cancelling = new vscode.CancellationTokenSource();
  signal.addEventListener("abort", () => cancelling.cancel(), { once: true });
  try {
    return await askModel(model, cancelling.token);
  } catch (error) {
    if (!(error instanceof vscode.LanguageModelError)) throw error;
    return createErrorReply(error.code, describeThrown(error));
  }
};

/** Statuses of the documented errors. */
const STATUSES: Readonly<Record<string, number>> = { NotFound: 404, NoPermissions: 403, Blocked: 400 };

const createErrorReply = (code: string, message: string): ModelReply =>
  createJsonReply(STATUSES[code] ?? 400, { error: { message, type: "language_model_error", code } });

export const createJsonReply = (status: number, body: object): ModelReply => ({
  status,
  headers: [["content-type", "application/json"]],
  body: iterate([encodeUtf8(JSON.stringify(body))]),
});

/** Passes the parts on as they arrive. Waits for the first one, because a refusal arrives in its place. */
export async function createChatReply(
  model: vscode.LanguageModelChat,
  { stream }: vscode.LanguageModelChatResponse,
  token: vscode.CancellationToken,
): Promise<ModelReply> {
  const parts = stream[Symbol.asyncIterator]();
  const first = await parts.next();
  return {
    status: 200,
    headers: [["content-type", "text/event-stream"]],
    body: writeReply(readFactsOfModel(model), readParts(first, parts, token)),
  };
}

async function* readParts(
  first: IteratorResult<unknown>,
  parts: AsyncIterator<unknown>,
  token: vscode.CancellationToken,
): AsyncGenerator<ModelPart> {
  for (let next = first; next.done !== true; next = await parts.next()) yield readPart(next.value);
  // A cancelled reply can end like a whole one, but it must not be recorded.
  if (token.isCancellationRequested) throw new vscode.CancellationError();
}

async function* iterate(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
