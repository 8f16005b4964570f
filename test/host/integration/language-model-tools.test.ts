import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import * as vscode from "vscode";
import { TOOLS } from "../../../src/agent/tools.ts";
import { getMissId } from "../../../src/agent/agent-project.ts";
import { createTools } from "../../../src/editor/agent/language-model-tools.ts";
import { defineMcpServers } from "../../../src/editor/agent/register-agents.ts";
import type { Session } from "../../../src/editor/session/session.ts";
import type { ViewFolder } from "../../../src/editor/calls-tree/calls-model.ts";
import type { Sessions } from "../../../src/editor/session/folder-session.ts";
import { aMissingCall } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { theSession, untilReady } from "../support/session.ts";

describe("the tools of language models", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    await untilReady(session);
  });

  const textIn = (result: vscode.LanguageModelToolResult): string =>
    result.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");

  async function invoke(name: string, input: object, token?: vscode.CancellationToken): Promise<string> {
    return textIn(await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token));
  }

  it("are those of the manifest, with descriptions for models and schemas", () => {
    const offered = vscode.lm.tools.filter(({ name }) => name.startsWith("tapedeck_"));

    assert.deepEqual(offered.map(({ name }) => name).sort(), TOOLS.map(({ name }) => name).sort());
    for (const { name, description, inputSchema } of offered) {
      const tool = TOOLS.find((one) => one.name === name);
      assert.deepEqual([description, inputSchema], [tool?.description, tool?.inputSchema]);
    }
  });

  it("list and explain a call that was missed in this window", async () => {
    const { miss } = await aMissingCall(session, "for a language model");

    const listed = await invoke("tapedeck_list_misses", {});
    const explained = await invoke("tapedeck_explain_miss", { miss: getMissId(miss) });

    assert.match(listed, new RegExp(`^miss ${getMissId(miss)}: `, "mu"));
    assert.match(explained, /^> call: .*for a language model/mu);
    assert.match(explained, /^next: /mu);
  });

  it("search and read recordings", async () => {
    const found = await invoke("tapedeck_search_recordings", { query: "refund" });
    const id = /^recording ([0-9a-f.]+)$/mu.exec(found)?.[1];
    const read = await invoke("tapedeck_read_recording", { recording: id });

    assert.match(read, /page 1 of \d+/u);
    assert.match(read.toLowerCase(), /refund/u);
  });

  it("replay a test of the workspace", async () => {
    const result = await invoke("tapedeck_run_test", { file: "tests/replies.test.ts" });

    assert.match(result, /^The test passed\. Calls: \d+ replayed\./u);
  });

  it("ask before they write: VS Code gets the question, and a call that it did not confirm changes nothing", async () => {
    const { miss } = await aMissingCall(session, "not to be written");
    const input = { miss: getMissId(miss), text: "Made up." };
    const folder = { session } as unknown as ViewFolder;
    const tools = createTools({ all: [folder], current: folder } as unknown as Sessions<ViewFolder>);
    const { token } = new vscode.CancellationTokenSource();

    const refused = textIn(await tools.invoke("tapedeck_write_reply", input, token));
    const before = session.deck.store.takes("openai", miss.key).length;
    const prepared = await tools.prepare("tapedeck_write_reply", input);
    const written = textIn(await tools.invoke("tapedeck_write_reply", input, token));
    const again = await tools.prepare("tapedeck_write_reply", input);

    assert.match(refused, /^Refused:/u);
    assert.equal(before, 0);
    assert.match(prepared.confirmationMessages?.title ?? "", /not to be written/u);
    assert.match(written, /^Lines that|The reply is recorded/u);
    assert.equal(session.deck.store.takes("openai", miss.key).length, 1);
    assert.equal(again.confirmationMessages, undefined);
    const [candidate] = session.deck.store.takes("openai", miss.key);
    assert.ok(candidate && session.state.candidates.has(candidate.entry), "it is new");
    await vscode.commands.executeCommand("tapedeck.delete", { entry: candidate.entry });
    await eventually("it is gone", () => session.deck.store.takes("openai", miss.key).length === 0);
  });

  it("show calls and limits in the question before they record", async () => {
    const folder = { session } as unknown as ViewFolder;
    const tools = createTools({ all: [folder], current: folder } as unknown as Sessions<ViewFolder>);

    const { confirmationMessages } = await tools.prepare("tapedeck_record", {
      file: "tests/classify.test.ts",
    });

    const value = String((confirmationMessages?.message as vscode.MarkdownString | undefined)?.value);
    assert.match(confirmationMessages?.title ?? "", /tests\/classify\.test\.ts/u);
    assert.match(value.replaceAll("&nbsp;", " "), /stops.after.*\$/su);
  });

  it("are served by an MCP server that VS Code can start, in the folder of the workspace", async () => {
    const extension = vscode.extensions.getExtension("tapedeck.llm-tapedeck");
    assert.ok(extension);
    const context = {
      extensionPath: extension.extensionPath,
      extension,
    } as unknown as vscode.ExtensionContext;
    const folder = { session } as unknown as ViewFolder;
    const [server] = defineMcpServers(context, {
      all: [folder],
      current: folder,
    } as unknown as Sessions<ViewFolder>) as unknown as {
      command: string;
      args: string[];
      env: Record<string, string>;
      cwd: vscode.Uri;
    }[];
    assert.ok(server);
    const { command, args, env, cwd } = server;
    assert.ok(args.includes(join(session.folder.uri.fsPath, ".tapedeck")));

    const child = spawn(command, args, { cwd: cwd.fsPath, env: { PATH: process.env["PATH"], ...env } });
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "host", version: "1" },
    };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    const [answer] = (await once(child.stdout, "data")) as [Buffer];
    child.stdin.end();
    await once(child, "exit");

    assert.match(answer.toString(), /"serverInfo":\{"name":"tapedeck"/u);
  });
});
