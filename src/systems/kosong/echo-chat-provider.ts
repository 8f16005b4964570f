import { expectList } from "../../client/check-options.ts";
import type { ThinkingEffort } from "../../client/request.ts";
import type { ChatProvider, Prompt, StreamedMessage } from "./chat-provider.ts";
import { copyProvider } from "./copy-provider.ts";
import { writeAsciiJson, parseEchoScript } from "./echo-dsl.ts";
import { ChatProviderError, validationError } from "./errors.ts";
import { extractText } from "./message.ts";
import type { StreamedMessagePart } from "./parts.ts";

/** Answers with the echo DSL in the last message, which must be the user's. */
export class EchoChatProvider implements ChatProvider {
  readonly name = "echo";
  readonly modelName = "echo";
  readonly thinkingEffort: ThinkingEffort | null = null;

  async generate({ history }: Prompt): Promise<StreamedMessage> {
    const last = history.at(-1);
    if (last === undefined)
      throw validationError("EchoChatProvider requires at least one message in history.");
    if (last.role !== "user")
      throw validationError("EchoChatProvider expects the last history message to be user.");
    return scriptedMessage(extractText(last), "EchoChatProvider");
  }

  withThinking(_effort: ThinkingEffort): this {
    return copyProvider(this);
  }
}

export interface ScriptedEchoOptions {
  /** Prints each script when it is used. */
  readonly trace?: boolean;
  /** Receives the trace, one line per call. Default: standard output. */
  readonly print?: (line: string) => void;
}

/** Answers each call with the next script and ignores the request. */
export class ScriptedEchoChatProvider implements ChatProvider {
  readonly name = "scripted_echo";
  readonly modelName = "scripted_echo";
  readonly thinkingEffort: ThinkingEffort | null = null;
  private readonly options: ScriptedEchoOptions;
  private queue: readonly string[];
  private turn = 0;

  constructor(scripts: readonly string[], options: ScriptedEchoOptions = {}) {
    expectList(scripts, "scripts");
    this.queue = [...scripts];
    this.options = options;
  }

  async generate(_prompt?: Prompt): Promise<StreamedMessage> {
    const [script, ...rest] = this.queue;
    const turn = this.turn + 1;
    if (script === undefined)
      throw new ChatProviderError(`ScriptedEchoChatProvider exhausted at turn ${turn}.`, "not-recorded");
    this.queue = rest;
    this.turn = turn;
    if (this.options.trace === true) {
      // Environments without a standard output have a console.
      // oxlint-disable-next-line no-console
      const { print = (line: string) => console.log(line) } = this.options;
      print(`SCRIPTED_ECHO TURN ${turn}: ${writeAsciiJson(script)}`);
    }
    return scriptedMessage(script, "ScriptedEchoChatProvider");
  }

  /** Returns a copy with its own copy of the remaining scripts. */
  withThinking(_effort: ThinkingEffort): this {
    return copyProvider(this);
  }
}

function scriptedMessage(script: string, who: string): StreamedMessage {
  const { parts, id, usage } = parseEchoScript(script);
  if (parts.length === 0) throw validationError(`${who} DSL produced no streamable parts.`);
  const source = stream(parts);
  return { id, usage, traceId: null, [Symbol.asyncIterator]: () => source };
}

async function* stream(
  parts: readonly StreamedMessagePart[],
): AsyncGenerator<StreamedMessagePart, void, undefined> {
  for (const part of parts) yield structuredClone(part);
}
