import { ToolProblem } from "./tool-problem.ts";
import { parseInstant } from "../core/base/age.ts";
import type { DescribedRequest } from "../core/match/read-request.ts";
import type { Recording, RecordingAddress } from "../core/cassette/recording.ts";
import { getKeyDigits } from "../core/cassette/address.ts";
import { renderRecording } from "../core/view/recording-document.ts";
import { formatMessage } from "../core/view/message-text.ts";
import { findRecording } from "../storage/find-recording.ts";
import type { FoundFacts } from "../storage/local/facts-table.ts";
import { isMissNamed, type AgentProject, type CallContext } from "./agent-project.ts";
import { formatTest } from "./misses.ts";
import { PAGE, cutPage, ResultText } from "./result-text.ts";
import { RUN, formatToolCall } from "./tool-names.ts";

/** Number of recordings on a page of a search. */
const PER_PAGE = 15;
/** Maximum number of recordings whose whole text a search reads. */
const MOST_READ = 2_000;

export interface Search {
  readonly query?: string | undefined;
  readonly page: number;
}

/** Finds recordings whose prompts, replies, models, or tests contain all words of a query. */
export async function searchRecordings(
  { query = "", page }: Search,
  { project }: CallContext,
): Promise<ResultText> {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const { deck } = project;
  const found: FoundFacts[] = [];
  let reads = 0;
  for await (const facts of deck.readFacts(await deck.store.list())) {
    const rest = listWordsLeft(words, joinFacts(facts));
    if (rest.length === 0) found.push(facts);
    else if (reads < MOST_READ) {
      reads += 1;
      const text = await readWholeText(facts.address, project);
      if (listWordsLeft(rest, text).length === 0) found.push(facts);
    }
  }
  found.sort((one, other) => recordedAt(other) - recordedAt(one));
  const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
  const text = new ResultText().line(`${found.length} recordings, newest first, page ${page} of ${pages}.`);
  if (reads === MOST_READ) text.line(`Of older recordings only labels, models, and tests were searched.`);
  for (const one of found.slice((page - 1) * PER_PAGE, page * PER_PAGE)) addRow(text, one);
  return text;
}

const listWordsLeft = (words: readonly string[], text: string): readonly string[] =>
  words.filter((word) => !text.includes(word));

const recordedAt = ({ facts }: FoundFacts): number => parseInstant(facts?.recordedAt ?? "") ?? 0;

function joinFacts({ address, facts }: FoundFacts): string {
  const { described, model, operation, test } = facts ?? {};
  const parts = [address.entry, described?.label, described?.asked, model, operation];
  return [...parts, ...(test ? [test.file, ...test.name] : [])].join("\n").toLowerCase();
}

async function readWholeText({ entry }: RecordingAddress, { deck }: AgentProject): Promise<string> {
  try {
    const { request, reply } = await deck.store.read(entry);
    return [request.body, reply.body]
      .map((body) => Buffer.from(body).toString("utf8"))
      .join("\n")
      .toLowerCase();
  } catch {
    return "";
  }
}

function addRow(text: ResultText, { address, facts, broken }: FoundFacts): void {
  const take = address.take === 1 ? "" : `.${address.take}`;
  text.line(`recording ${getKeyDigits(address.key)}${take}`);
  if (broken !== undefined || facts === undefined) return void text.quote("cannot be read", address.entry);
  const { described, operation, model = operation, test, recordedAt: at } = facts;
  text.quote(
    "call",
    `${address.provider} ${model}, ${at.slice(0, 10)}: ${described?.label ?? operation}`,
    120,
  );
  if (test !== undefined) text.quote("test", formatTest(test), 120);
}

export interface RecordingPage {
  readonly recording: string;
  readonly page: number;
}

/** Returns a recording as a readable document: its request, its reply, and its parameters, a page at a time. */
export async function readRecording(
  { recording, page }: RecordingPage,
  { project }: CallContext,
): Promise<ResultText> {
  const { deck } = project;
  const address = await findAddress(recording, project);
  const view = deck.describe(await deck.store.read(address.entry));
  const document = renderRecording(view, { now: Date.now(), path: address.entry });
  const { text, pages } = cutPage(document.text, page, await deck.project.secrets.scan());
  if (page > pages) throw new ToolProblem(`The recording has ${pages} pages.`, "Use a smaller page number.");
  return new ResultText()
    .line(`recording ${getKeyDigits(address.key)}, page ${page} of ${pages}`)
    .quote("", text, PAGE);
}

async function findAddress(named: string, { deck, root }: AgentProject): Promise<RecordingAddress> {
  return findRecording(named, await deck.store.list(), { dir: deck.dir, cwd: root });
}

export interface Comparison {
  readonly first: string;
  readonly second: string;
}

/** Maximum number of differences in a comparison. */
const MOST_DIFFERENCES = 20;

/** Compares two recordings, or a recording with a missing call. */
export async function compareCalls(
  { first, second }: Comparison,
  { project }: CallContext,
): Promise<ResultText> {
  const [one, other] = [await findCall(first, project), await findCall(second, project)];
  const differences = project.deck.compare(one.request, other.request);
  const text = new ResultText().line(
    differences.length === 0
      ? "The requests are equal under the rules of the project."
      : `The requests differ in ${differences.length} places, first → second.`,
  );
  for (const { text: difference } of differences.slice(0, MOST_DIFFERENCES))
    text.quote("differs", difference, 300);
  if (one.reply !== undefined) text.quote("first reply", one.reply, 400);
  if (other.reply !== undefined) text.quote("second reply", other.reply, 400);
  return text;
}

interface NamedCall {
  readonly request: DescribedRequest;
  readonly reply?: string;
}

/** Finds a missing call or a recording. Missing calls come first: their ids are those of no recording. */
async function findCall(name: string, project: AgentProject): Promise<NamedCall> {
  const missing = (await project.missing()).find((one) => isMissNamed(one, name));
  if (missing?.miss !== undefined) return { request: missing.miss };
  if (missing !== undefined)
    throw new ToolProblem(
      "The request of this missing call is not known in this session.",
      `Run its test first: ${formatToolCall(RUN, missing)}.`,
    );
  const { entry } = await findAddress(name, project);
  const recording = await project.deck.store.read(entry);
  return { request: recording, reply: formatReply(recording, project) };
}

function formatReply(recording: Recording, { deck }: AgentProject): string {
  try {
    return deck.describe(recording).projection.messages.map(formatMessage).join("\n");
  } catch {
    return "";
  }
}
