import { expect, test } from "vitest";
import {
  chatError,
  fixedClient,
  functionClient,
  retrying,
  user,
  type ChatClient,
  type ChatRequest,
  type StreamEvent,
} from "../../src/client/index.ts";
import { given } from "./bad-input/cells.ts";

const HELLO = { messages: [user("hello")] };

async function typesOf(stream: AsyncIterable<StreamEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}

const tried = async (client: ChatClient, request: ChatRequest = HELLO): Promise<unknown> =>
  client.complete(request).catch((error: unknown) => error);

test("a wrapped client refuses a request that is none, whole and as a stream", async () => {
  const client = retrying(fixedClient("hi"));
  const refused = { kind: "validation", message: expect.stringContaining("request") as string };

  expect(await tried(client, given(null))).toMatchObject(refused);
  await expect(typesOf(client.stream(given(undefined)))).rejects.toMatchObject(refused);
});

test("a caller who aborts during a failing call gets an abort error, or the call's own abort error", async () => {
  const leaving = (failure: Error): Promise<unknown> => {
    const controller = new AbortController();
    const inner = functionClient(() => {
      controller.abort("gone");
      throw failure;
    });
    return tried(retrying(inner, "metagpt"), { ...HELLO, signal: controller.signal });
  };
  const own = chatError("cancelled", "own words");

  expect(await leaving(own)).toBe(own);
  expect(await leaving(chatError("timeout", "slow"))).toMatchObject({ kind: "cancelled" });
});
