import { chatError } from "../../client/errors.ts";
import { readPythonJson } from "../../client/json/python-json.ts";
import { BLANK } from "../../client/python/blank.ts";
import type { ReadChoice } from "../../client/wire/completions.ts";
import type { Fields } from "../../core/base/lenient.ts";

/**
 * The arguments of a tool call, which `aask_code` returns. The default tool has `language` and `code`; arguments of other
 * tools are as the model wrote them, and nothing checks their types.
 */
export interface CodeAnswer {
  readonly language?: string;
  readonly code?: string;
  readonly [argument: string]: unknown;
}

/** The tool of calls that name none. */
export const EXECUTE_TOOL: Fields = {
  type: "function",
  function: {
    name: "execute",
    description:
      "Executes code on the user's machine, **in the users local environment**, and returns the output",
    parameters: {
      type: "object",
      properties: {
        language: {
          type: "string",
          description: "The programming language (required parameter to the `execute` function)",
          enum: ["python", "R", "shell", "applescript", "javascript", "html", "powershell"],
        },
        code: { type: "string", description: "The code to execute (required)" },
      },
      required: ["language", "code"],
    },
  },
};

const FENCE = "```";
const FENCED = new RegExp(`${FENCE}[^]*?${BLANK}+([^]*?)\\n${FENCE}`);

/**
 * Reads a code answer: the first tool call's arguments, else the content as code or markdown. `codeOf` finds the
 * code in a content that is one fence; the default takes the first fence's inside.
 * @throws ChatError "empty" if there is neither
 */
export function codeAnswer(
  choice: ReadChoice | undefined,
  codeOf: (fenced: string) => string = firstFence,
): CodeAnswer {
  const call = choice?.toolCalls?.[0];
  if (call !== undefined) return readArguments(call.arguments);
  const content = choice?.content ?? undefined;
  if (content === undefined) {
    const shown = JSON.stringify(choice?.message ?? null);
    throw chatError("empty", `Failed to parse \n ${shown}\n`, {
      hint: "The model answered with neither a tool call nor a content.",
    });
  }
  if (content.startsWith(FENCE) && content.endsWith(FENCE)) {
    return { language: "python", code: codeOf(content) };
  }
  return { language: "markdown", code: content };
}

/**
 * Returns the content of the first fence of a text, without the lines of the fence; the whole text if there is none.
 * Three backticks inside a line belong to the code. Source: MetaGPT's `CodeParser.parse_code`.
 */
export const firstFence = (text: string): string => FENCED.exec(text)?.[1] ?? text;

function readArguments(text: string): CodeAnswer {
  const read = readPythonJson(text, { strict: false });
  return read === undefined ? guessAnswer(text) : (read as CodeAnswer);
}

/** Reads arguments that are not JSON: code only, or a language and the code in the last quoted string. */
function guessAnswer(text: string): CodeAnswer {
  if (!text.includes("language") && !text.includes("code")) return { language: "python", code: text };
  const language = /["']?language["']?\s*:\s*["']([^"']+?)["']/.exec(text)?.[1] ?? "python";
  const code = lastQuoted(text);
  if (code === undefined) {
    throw chatError("empty", `Parse code error for ${text}`, {
      hint: "The arguments contain no quoted code.",
    });
  }
  return { language, code };
}

/** Returns the last quoted string, in three equal quotes or one. Searches from the beginning, without overlaps. */
function lastQuoted(text: string): string | undefined {
  const runs = [...text.matchAll(/(["'`]{3}|["'`])([\s\S]*?)\1/g)];
  return runs.at(-1)?.[2];
}
