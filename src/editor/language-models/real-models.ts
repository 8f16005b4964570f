import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { Connect } from "../../core/answer/source/source.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";
import { readFields, readList, readText } from "../../core/base/lenient.ts";
import { readPart } from "./parts.ts";
import { TAPED_VENDOR } from "./newer-vscode.ts";
import { writeReply, type ModelFacts, type ModelPart } from "./wire-model.ts";

/** Links a call to the messages as VS Code has them. Headers are never recorded. */
export const TICKET = "x-vscode-request";

/** A request as the extension under test made it. */
export interface PendingRequest {
  ask(
    model: vscode.LanguageModelChat,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelChatResponse>;
  count(model: vscode.LanguageModelChat, token: vscode.CancellationToken): Promise<number>;
}

/** Requests that are being answered, by ticket. */
export const PENDING = new Map<string, PendingRequest>();

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
export const connectToModels: Connect = async ({ url, headers, body, signal }) => {
  const request = PENDING.get(headers.find(([name]) => name === TICKET)?.[1] ?? "");
  if (request === undefined)
    throw new Error(localize("Only the extension that asked can send this request again."));
  const wanted = readText(readFields(JSON.parse(new TextDecoder().decode(body)))["model"]);
  const model = (await listRealModels()).find((one) => readFactsOfModel(one).id === wanted);
  if (model === undefined)
    return createFailure(404, "NotFound", localize("This window has no language model {0}.", wanted ?? ""));
  const cancelling = new vscode.CancellationTokenSource();
  signal.addEventListener("abort", () => cancelling.cancel(), { once: true });
  try {
    if (url.endsWith("/input_tokens")) {
      const count = await request.count(model, cancelling.token);
      return createSuccess("application/json", [
        Buffer.from(JSON.stringify({ object: "response.input_tokens", input_tokens: count })),
      ]);
    }
    const response = await request.ask(model, cancelling.token);
    const parts = await readParts(response.stream);
    return createSuccess("text/event-stream", writeReply(readFactsOfModel(model), parts));
  } catch (error) {
    if (!(error instanceof vscode.LanguageModelError)) throw error;
    return createFailure(STATUSES[error.code] ?? 400, error.code, describeThrown(error));
  }
};

/** Statuses of the documented errors. */
const STATUSES: Readonly<Record<string, number>> = { NotFound: 404, NoPermissions: 403, Blocked: 400 };

/** Reads the parts as they arrive. Waits for the first one, because a refusal arrives in its place. */
async function readParts(stream: AsyncIterable<unknown>): Promise<AsyncIterable<ModelPart>> {
  const iterator = stream[Symbol.asyncIterator]();
  let next = await iterator.next();
  return (async function* () {
    for (; next.done !== true; next = await iterator.next()) yield readPart(next.value);
  })();
}

type IncomingReply = Awaited<ReturnType<Connect>>;

const createSuccess = (
  type: string,
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): IncomingReply => ({
  status: 200,
  headers: [["content-type", type]],
  body: iterate(body),
});

const createFailure = (status: number, code: string, message: string): IncomingReply => ({
  status,
  headers: [["content-type", "application/json"]],
  body: iterate([Buffer.from(JSON.stringify({ error: { message, type: "language_model_error", code } }))]),
});

async function* iterate(body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body;
}
