import { localize } from "../core/base/localize.ts";
import type { StandIn } from "../client/stand-in/stand-in.ts";
import type { Rehearsed } from "../client/stand-in/lenient.ts";
import type { Miss, Run } from "../core/call/call.ts";
import type { Recording } from "../core/cassette/recording.ts";
import type { LenientAnswer } from "../core/config/config.ts";
import { describeRecording, describeRequest, type RecordingView } from "../core/view/describe.ts";
import { protocolOf, type Exchange, protocolRequest } from "../core/match/read-request.ts";
import type { EngineParts } from "../core/answer/engine.ts";
import { tapedeckError } from "../core/base/errors.ts";
import { recordingOfMiss } from "../core/view/miss.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import { createRun, createJournal } from "../core/answer/runs.ts";
import type { AnswerSource } from "../core/answer/source/source.ts";
import { withContentType } from "../core/base/wire/text.ts";
import type { MockRequest } from "../server/mock-requests.ts";
import { clock } from "./clock.ts";
import type { DeckProject } from "./project.ts";

/** The mock client core of a deck. It is loaded with the first call that it answers or breaks. */
export interface DeckMocks {
  /** The sources that it adds to an engine. */
  readonly sources: Pick<EngineParts, "lenient"> & Required<Pick<EngineParts, "faulty" | "journal">>;
  /** Does what a run's own tests ask for over HTTP, and gives the JSON that is answered. @throws TapedeckError */
  control(run: Run, request: MockRequest): Promise<unknown>;
  /** What calls would get, one after another, from what lenient mode answers with, or from another mock. */
  rehearse(calls: readonly Miss[], answer?: LenientAnswer): Promise<readonly Mocked[]>;
}

/** A mock's reply to a call, or the reason why there is none. */
export type Mocked =
  | {
      /** Who answers: "the default reply", "reply 2 of the script". */
      readonly by: string;
      /** A recording that would give this answer from now on. It is not saved. */
      readonly recording: Recording;
      readonly view: RecordingView;
    }
  | { readonly problem: string };

export function createMocks(project: DeckProject, providers: ProviderTable): DeckMocks {
  let standIn: Promise<StandIn> | undefined;
  const journal = createJournal(protocolRequest);
  const load = (): Promise<StandIn> =>
    (standIn ??= import("../client/stand-in/stand-in.ts").then(({ createStandIn }) =>
      createStandIn({
        lenient: () => project.lenient,
        faults: () => project.faults,
        context: () => project.context,
        journal,
        clock,
      }),
    ));
  const faultySource = (sources: readonly AnswerSource[]): AnswerSource => {
    let faulty: AnswerSource | undefined;
    return {
      name: "faults",
      async answer(exchange) {
        faulty ??= (await load()).faulty(sources);
        return faulty.answer(exchange);
      },
    };
  };
  return {
    sources: {
      lenient: { name: "default", answer: async (exchange) => (await load()).lenient.answer(exchange) },
      faulty: faultySource,
      journal,
    },
    async rehearse(calls, answer = project.lenient) {
      const exchanges = calls.map((call) => exchangeOf(call, providers));
      const replies = await (await load()).rehearse(exchanges, answer);
      return replies.flatMap((one, index) => mockedOf(one, calls[index], providers));
    },
    async control(run, { method, path, body }) {
      run.isAsking = true;
      return (await load()).of(run).control(method, path, body);
    },
  };
}

/** Returns a missed call as a new call in a separate run. @throws TapedeckError if its provider is no longer configured */
function exchangeOf(miss: Miss, providers: ProviderTable): Exchange {
  const { provider: name, key, request } = miss;
  const provider = providers.get(name);
  if (provider === undefined)
    throw tapedeckError("tapedeck_usage", localize("The provider {0} is unknown.", name), {
      hint: localize("Set its address with --upstream or the setting tapedeck.upstreams."),
    });
  const { method, path, body, contentType, headers = [] } = request;
  const typed = withContentType(headers, contentType);
  const run = createRun({ id: "rehearsal", mode: "lenient" });
  const { signal } = new AbortController();
  const call = { provider: name, method, path, headers: typed, body, signal, run };
  const { facts } = describeRequest(miss, providers);
  return { call, sent: call, provider, protocol: protocolOf(miss, providers), key, facts, ordinal: 1 };
}

function mockedOf(one: Rehearsed, miss: Miss | undefined, providers: ProviderTable): readonly Mocked[] {
  if ("problem" in one) return [one];
  if (miss === undefined) return [];
  const recording = recordingOfMiss(miss, one.reply, { recordedAt: new Date().toISOString() });
  return [{ by: one.by, recording, view: describeRecording(recording, providers) }];
}
