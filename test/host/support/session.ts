import assert from "node:assert/strict";
import process from "node:process";
import * as vscode from "vscode";
import type { TapedeckApi } from "../../../src/editor/extension/extension.ts";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "./eventually.ts";

/** Returns the extension's API, once it is active. */
export async function theApi(): Promise<TapedeckApi> {
  const api = await vscode.extensions.getExtension<TapedeckApi>("tapedeck.llm-tapedeck")?.activate();
  assert.ok(api, "the extension is there");
  return api;
}

/** The session of the one folder of the workspace, turned on: a test before may have turned it off. */
export async function theSession(): Promise<Session> {
  const session = (await theApi()).session();
  assert.ok(session, "the workspace has a session");
  await session.lifecycle.turnOn();
  return session;
}

export async function untilReady(session: Session): Promise<void> {
  await eventually(`${session.folder.name} is ready`, () => session.lifecycle.status.kind === "ready");
}

/** Returns the session's value of TAPEDECK_URL. */
export async function addressOf(session: Session): Promise<string> {
  const address = (await session.connection.environment()).find(({ name }) => name === "TAPEDECK_URL")?.value;
  assert.ok(address, "the environment names the address");
  return address;
}

/**
 * Chooses whether what other extensions start has the variables, and waits until it has `variable` in this very
 * process, or not. Until a suite ends; it has to be taken back.
 */
export async function pointOtherExtensions(isWanted: boolean, variable = "TAPEDECK_URL"): Promise<void> {
  await vscode.workspace
    .getConfiguration()
    .update("tapedeck.environment.extensions", isWanted || undefined, vscode.ConfigurationTarget.Global);
  await eventually(`${variable} is ${isWanted ? "" : "not "}set in the host`, () => {
    const isSet = process.env[variable] !== undefined;
    return isSet === isWanted;
  });
}

/** Not a word that a reply may hold: a reply with the caller's key in it is never recorded. */
const KEY = "sk-2f7b1c-of-the-host-tests";

/** Asks the server at an address for a chat. */
export function askAt(address: string, prompt: string): Promise<Response> {
  return fetch(`${address}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: prompt }] }),
  });
}
