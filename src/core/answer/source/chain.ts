import { localize } from "../../base/localize.ts";
import { isTapedeckError, createTapedeckError, type TapedeckError } from "../../base/errors.ts";
import { localizeCount } from "../../base/plural.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { copyCallWith } from "../../call/call-with.ts";
import type { Answer, Call, Run } from "../../call/call.ts";
import type { GivenReply, ReplyLink } from "../../call/given-replies.ts";
import { addSpending, ONE_CALL, type Spending } from "../../call/spending.ts";
import type { OwnPrices } from "../../view/prices/own-prices.ts";
import { getChainName } from "../../cassette/address.ts";
import type { Recording } from "../../cassette/recording.ts";
import type { RecordingReplacement } from "../../cassette/store.ts";
import { readProtocolRequest, type Exchange } from "../../match/read-request.ts";
import { findUsedIds } from "../../match/origins/used-ids.ts";
import { isReplyId, readReplyId } from "../../match/origins/values.ts";
import { computeCharge } from "../budget/charge.ts";
import { findSpentBudget } from "../budget/limits.ts";
import { noteReply } from "../runs.ts";
import { getRefreshCommand } from "../../view/miss.ts";
import { findFreshIds, findUnknownId, mapIds, replaceIds, type IdsByLabel } from "./chain-links.ts";
import { readJobState } from "./polls.ts";
import { isPoll } from "./recordings.ts";
import {
  renewCall,
  type ChainParts,
  type RecordedCall,
  type RenewedCall,
  type Forwarder,
} from "./renew-call.ts";

/** An earlier call of a chain that has to be made again. */
interface ChainCall extends RecordedCall {
  readonly name: string;
  /** Content of its file when the chain was planned. */
  readonly since: string | undefined;
  /** Position among the replies of the run; negative if the run did not get it. */
  readonly order: number;
}

/** A call that was made again, and has not replaced its recording yet. */
interface OpenRenewal extends Pick<RenewedCall, "event"> {
  readonly name: string;
  readonly replacement: RecordingReplacement;
  /** Names of the calls that were made again together with it. */
  readonly together: ReadonlySet<string>;
}

/** The calls that a run made again for later ones. */
interface Renewals {
  readonly ids: Map<string, IdsByLabel>;
  readonly open: Map<string, OpenRenewal>;
  /** Chains are renewed one after another. */
  queue: Promise<unknown>;
}

const renewalsOf = new WeakMap<Run, Renewals>();

interface ChainSending extends Forwarder {
  readonly send: (exchange: Exchange) => Promise<Answer>;
  /** Whether the call has a signature over its address and its body. */
  readonly isSigned: boolean;
}

/**
 * Sends a call that names ids of earlier replies. If these were replayed, the provider may have forgotten their ids: then the
 * calls that gave them out are made again first, from the root of the chain. Their recordings are replaced together with
 * this call's, and stay if it is not recorded.
 * @throws TapedeckError if the chain cannot be recorded again
 */
export async function sendInChain(
  given: ChainParts,
  exchange: Exchange,
  { send, forward, isSigned }: ChainSending,
): Promise<Answer> {
  const parts = { ...given, forward };
  const { run } = exchange.call;
  const renewals = renewalsOf.get(run) ?? { ids: new Map(), open: new Map(), queue: Promise.resolve() };
  renewalsOf.set(run, renewals);
  // A signature covers the ids, so that no others can take their places.
  const canChange = !isSigned;
  const { needed } = findUsedIds(exchange.sent, exchange.links ?? []);
  if (canChange && parts.keepsChain?.() !== true) await renewInTurn(parts, exchange, renewals, needed);
  let renewed: readonly OpenRenewal[] = [];
  const sendPresent = (): Promise<Answer> =>
    send({
      ...insertPresentIds(exchange, renewals),
      renewed: () => (renewed = findConcerned(exchange, renewals)).map((one) => one.replacement),
    });
  const answer = await sendPresent();
  const named = canChange ? findUnknownId(answer, exchange.sent) : undefined;
  const isRenewed =
    named !== undefined && (await renewInTurn(parts, exchange, renewals, new Set([named, ...needed])));
  const last = isRenewed ? await sendPresent() : answer;
  const settled = last.settled.then((end) => {
    if (end.outcome === "recorded") closeRenewals(parts, exchange, renewals, renewed);
    else for (const one of findConcerned(exchange, renewals)) leaveOpen(parts, exchange, one);
    return end;
  });
  return { ...last, settled };
}

function renewInTurn(
  parts: ChainParts & Forwarder,
  exchange: Exchange,
  renewals: Renewals,
  needed: ReadonlySet<string>,
): Promise<boolean> {
  const inTurn = renewals.queue.then(() => renew(parts, exchange, renewals, needed));
  renewals.queue = inTurn.catch(() => {});
  return inTurn;
}

/** Makes the calls again that gave out these ids, as far as they were replayed. Returns whether there were any. */
async function renew(
  parts: ChainParts & Forwarder,
  exchange: Exchange,
  renewals: Renewals,
  needed: ReadonlySet<string>,
): Promise<boolean> {
  if (needed.size === 0) return false;
  const plan = await planRenewal(parts, exchange, needed);
  if (plan.length === 0) return false;
  announce(parts, exchange, plan);
  const together = new Set(plan.map(({ name }) => name));
  try {
    for (const call of plan) {
      const renewed = await renewCall(parts, exchange, call, (link) =>
        // The recorded request can also name a call that the client made again itself.
        getPresentId(link, exchange, (name) => renewals.ids.get(name) ?? findFreshIds(exchange, name)),
      );
      const { recording, entry } = renewed;
      renewals.ids.set(call.name, mapIds(recording.reply));
      const replacement = { entry, recording, since: call.since };
      renewals.open.set(call.name, { name: call.name, replacement, event: renewed.event, together });
      // The client can also use the new ids, because later replies repeat them.
      noteReply(renewed.exchange, { entry, reply: recording.reply, isFresh: true });
    }
  } catch (error) {
    for (const name of together) leaveOpen(parts, exchange, renewals.open.get(name));
    throw error;
  }
  return true;
}

/** Returns the calls to make again, in the order in which the run made them. @throws TapedeckError if one has no recording */
async function planRenewal(
  { store }: ChainParts,
  exchange: Exchange,
  needed: ReadonlySet<string>,
): Promise<readonly ChainCall[]> {
  const { call, provider, links = [] } = exchange;
  const given = call.run.replies?.list ?? [];
  const known = new Set(given.flatMap(({ entry, isFresh }) => (isFresh ? [getChainName(entry)] : [])));
  const planned = new Map<string, ChainCall>();
  const add = async (name: string): Promise<void> => {
    if (planned.has(name) || known.has(name)) return;
    const at = given.findIndex((one) => one.provider === provider.name && getChainName(one.entry) === name);
    const entry = given[at]?.entry ?? (await findEntry(name, exchange, store));
    const recording = entry === undefined ? undefined : await readOrNone(store, entry);
    if (entry === undefined || recording === undefined) throw createRootMissing(exchange, name);
    const own = recording.request.values?.filter(isReplyId) ?? given[at]?.links ?? [];
    const order = at < 0 ? -1 - planned.size : at;
    planned.set(name, { name, entry, recording, links: own, since: store.hashContent(entry), order });
    await addNamed(own, findUsedIds(recording.request, own).needed);
  };
  const addNamed = async (all: readonly ReplyLink[], ids: ReadonlySet<string>): Promise<void> => {
    for (const link of all) {
      const id = ids.has(link.text) ? readReplyId(link) : undefined;
      if (id === undefined) continue;
      await add(id.name);
      await add(id.last);
    }
  };
  await addNamed(links, needed);
  for (let count = 0; count < planned.size;) {
    count = planned.size;
    for (const reply of given)
      if (reply.provider === provider.name && belongsTo(reply, planned)) await add(getChainName(reply.entry));
  }
  return [...planned.values()].toSorted((a, b) => a.order - b.order);
}

/** Whether an earlier call changed what a planned call created, or waited for its end. */
function belongsTo(
  { method, path, request, reply, links = [] }: GivenReply,
  planned: ReadonlyMap<string, ChainCall>,
): boolean {
  if (links.length === 0) return false;
  const { needed, changed } = findUsedIds({ method, path, body: request }, links);
  const isEnd = isPoll({ method, path }) && readJobState({ status: 200, body: reply })?.isOpen === false;
  const ids = isEnd ? needed : changed;
  return links.some((link) => ids.has(link.text) && planned.has(readReplyId(link)?.name ?? ""));
}

/** Finds a recording that the run did not get. */
async function findEntry(
  name: string,
  { provider }: Exchange,
  store: ChainParts["store"],
): Promise<string | undefined> {
  const addresses = await store.list();
  return addresses.find((one) => one.provider === provider.name && getChainName(one.entry) === name)?.entry;
}

async function readOrNone(store: ChainParts["store"], entry: string): Promise<Recording | undefined> {
  try {
    return await store.read(entry);
  } catch (error) {
    if (isTapedeckError(error)) return undefined;
    throw error;
  }
}

/** Reports which calls are made again before they are paid for. @throws TapedeckError `tapedeck_budget` if they exceed a limit */
function announce(
  { limits, prices, warn }: ChainParts,
  exchange: Exchange,
  plan: readonly ChainCall[],
): void {
  const { call, facts, provider } = exchange;
  const what = localizeCount(
    plan.length,
    'To record "{1}", {0} earlier call of its chain is made again, because {2} may have forgotten its id.',
    'To record "{1}", {0} earlier calls of its chain are made again, because {2} may have forgotten their ids.',
    facts.label,
    provider.name,
  );
  const spent = plan.map(({ recording }) => estimateSpending(recording, exchange, prices?.() ?? {}));
  const expected = spent.reduce(addSpending, call.run.spent.total);
  const over = findSpentBudget(limits?.() ?? {}, expected, provider.name);
  if (over !== undefined)
    throw createTapedeckError("tapedeck_budget", `${what} ${over.message}`, { hint: over.hint });
  warn(what);
}

/** Returns what a recorded call took, which it may take again. */
function estimateSpending(
  { operation, request, reply }: Recording,
  exchange: Exchange,
  own: OwnPrices,
): Spending {
  const protocol = exchange.provider.dialect.operations.find((one) => one.operation === operation);
  if (protocol === undefined) return ONE_CALL;
  const { method, path, body, contentType = "application/json" } = request;
  const call = { ...copyCallWith(exchange.call, { path, body }), method, contentType };
  try {
    const facts = protocol.facts(readProtocolRequest({ call, protocol }));
    const received = { ...reply, sizeBytes: reply.body.byteLength };
    return computeCharge({ call, provider: exchange.provider, protocol, facts }, received, own);
  } catch (error) {
    if (isTapedeckError(error)) return ONE_CALL;
    throw error;
  }
}

/** Returns the id that the provider knows now. @throws TapedeckError if the new reply has no such id */
function getPresentId(
  link: ReplyLink,
  exchange: Exchange,
  idsOf: (name: string) => IdsByLabel | undefined,
): string {
  const id = readReplyId(link);
  const renewed = id && idsOf(id.name);
  if (id === undefined || renewed === undefined) return link.text;
  const present = renewed.get(id.label);
  if (present === undefined) throw createIdMissing(exchange, link);
  return present;
}

function insertPresentIds(exchange: Exchange, renewals: Renewals): Exchange {
  const { call, sent, values, links = [] } = exchange;
  const idFor = (link: ReplyLink): string => getPresentId(link, exchange, (name) => renewals.ids.get(name));
  if (links.every((link) => idFor(link) === link.text)) return exchange;
  const change = (one: Call): Call => {
    const { groupPlace, base, isKeptElsewhere, contentType } = one;
    const more = pickDefined({ groupPlace, base, isKeptElsewhere, contentType });
    return { ...copyCallWith(one, replaceIds(one, links, idFor)), ...more };
  };
  const present = values?.map((value) => (isReplyId(value) ? { ...value, text: idFor(value) } : value));
  return {
    ...exchange,
    call: change(call),
    sent: change(sent),
    links: links.map((link) => ({ ...link, text: idFor(link) })),
    ...pickDefined({ values: present }),
  };
}

/** Returns the calls that were made again for a call, and those that were made again together with them. */
function findConcerned({ links = [] }: Exchange, { open }: Renewals): readonly OpenRenewal[] {
  const named = new Set(links.map((link) => readReplyId(link)?.name ?? ""));
  return [...open.values()].filter(({ together }) => [...together].some((name) => named.has(name)));
}

/** Reports calls that were made again and have replaced their recordings. */
function closeRenewals(
  { note }: ChainParts,
  { call }: Exchange,
  { open }: Renewals,
  renewed: readonly OpenRenewal[],
): void {
  // Another call of the chain may have replaced the same ones at the same time.
  for (const { name, event } of renewed) if (open.delete(name)) note?.(call.run, event);
}

/** Reports a call that was made again, and whose recording stays because the chain was not recorded. */
function leaveOpen({ note }: ChainParts, { call }: Exchange, open: OpenRenewal | undefined): void {
  if (open === undefined || reported.has(open)) return;
  reported.add(open);
  const reason = localize(
    "It was made again for a later call that was not recorded, so its recording stays as it was.",
  );
  note?.(call.run, { ...open.event, outcome: "forwarded", reason });
}

const reported = new WeakSet<OpenRenewal>();

function createRootMissing({ call, facts }: Exchange, name: string): TapedeckError {
  return createTapedeckError(
    "tapedeck_refused",
    localize(
      '"{0}" continues a call whose recording ({1}…) is missing, so its chain cannot be recorded again.',
      facts.label,
      name,
    ),
    { status: 424, hint: localize("Record the whole test again: {0}", getRefreshCommand(call)) },
  );
}

function createIdMissing({ call, facts }: Exchange, { text }: ReplyLink): TapedeckError {
  return createTapedeckError(
    "tapedeck_refused",
    localize(
      '"{0}" names {1}, and the new reply of the call that gave it out has no such id.',
      facts.label,
      text,
    ),
    {
      status: 424,
      hint: localize("Nothing was replaced. Record the whole test again: {0}", getRefreshCommand(call)),
    },
  );
}
