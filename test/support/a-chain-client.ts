import type { Answer, Call, Mode, Run } from "../../src/core/call/call.ts";
import type { WatchedStore } from "../../src/core/cassette/store.ts";
import type { StatefulProvider } from "./a-stateful-provider.ts";
import { aRun, anEngine, chatCall, textOf, type EngineUnderTest } from "./an-engine.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Makes a call and returns the reply's body. */
export type Client = (method: string, path: string, body?: object, provider?: string) => Promise<Fields>;

export function aClient({ engine }: EngineUnderTest, run: Run, test?: string): Client {
  return async (method, path, body, provider = "openai") => {
    const sent: Call = chatCall(
      run,
      "",
      {},
      {
        provider,
        method,
        path,
        body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
        ...(test !== undefined && { test: { file: "tests/a.test.ts", name: [test] } }),
      },
    );
    const answer: Answer = await engine.answer(sent);
    const text = await textOf(answer);
    await answer.settled;
    if (answer.reply.status >= 400) throw new Error(text);
    return JSON.parse(text) as Fields;
  };
}

export interface Played<T> {
  readonly result: T;
  readonly tested: EngineUnderTest;
  readonly outcomes: readonly string[];
}

type Options = NonNullable<Parameters<typeof anEngine>[1]>;

/** Runs a test's program in a mode, in a separate run. */
export async function play<T>(
  program: (client: Client) => Promise<T>,
  mode: Mode,
  { provider, ...options }: Options & { readonly store: WatchedStore; readonly provider?: StatefulProvider },
): Promise<Played<T>> {
  const upstream =
    provider?.upstream ??
    (() => {
      throw new Error("nothing may be sent");
    });
  const tested = anEngine(upstream, options);
  const result = await program(aClient(tested, aRun(mode)));
  return { result, tested, outcomes: tested.events.map(({ outcome }) => outcome) };
}

export const ask = (client: Client, input: unknown, more: object = {}): Promise<Fields> =>
  client("POST", "/v1/responses", { model: "gpt-5-mini", input, ...more });

export const said = ({ output }: Fields): unknown => JSON.stringify(output).match(/"text":"([^"]*)"/)?.[1];

export const repliesIn = async (store: WatchedStore): Promise<readonly string[]> => {
  const replies = [];
  for (const { entry } of await store.list())
    replies.push(Buffer.from((await store.read(entry)).reply.body).toString());
  return replies;
};
