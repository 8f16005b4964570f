import { createQueue } from "../core/base/queue.ts";
import { ZodError } from "zod";
import { explain, isTapedeckError } from "../core/base/errors.ts";
import { localize } from "../core/base/localize.ts";
import type { Limits } from "../core/answer/budget/limits.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../core/call/spending.ts";
import { logAction, type AgentAction } from "./agent-log.ts";
import type { AgentProject, Ask, CallContext, ApprovalRequest } from "./agent-project.ts";
import { ResultText } from "./result-text.ts";
import { ToolProblem } from "./tool-problem.ts";
import { TOOLS, type BoundTool } from "./tools.ts";

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface AgentOptions {
  readonly project: AgentProject;
  /** The name of the agent's program, for the log. */
  readonly client: () => string;
  /** Limits within which agents may spend without a question, over all calls. A person sets them. */
  readonly budget?: Limits;
}

export interface ToolCall {
  readonly name: string;
  /** Untrusted. */
  readonly input: unknown;
  readonly ask: Ask;
  readonly signal: AbortSignal;
}

export type Agent = ReturnType<typeof createAgent>;

type Agreement = "person" | "budget" | undefined;

/**
 * The operations of agents in one project. Never throws. Calls that run tests or change files are made one after the
 * other.
 */
export function createAgent(options: AgentOptions) {
  const { project } = options;
  const act = createAct(options);
  const inTurn = createQueue();
  return {
    async call(call: ToolCall): Promise<ToolResult> {
      const scan = await project.deck.project.secrets.scan();
      const tool = TOOLS.find(({ name }) => name === call.name);
      if (tool === undefined) return { text: "There is no tool of this name.", isError: true };
      try {
        const bound = tool.bind(call.input);
        const read = async (): Promise<ResultText> => {
          await project.refresh();
          return (await bound.call({ project, signal: call.signal })).text;
        };
        const text = await (tool.effect === "read" ? read() : inTurn(() => act(bound, call)));
        return { text: text.finish(scan), isError: false };
      } catch (error) {
        return { text: describeFailure(error).finish(scan), isError: true };
      }
    },
    /** Returns the question that a tool call asks; undefined if it needs no agreement or its input is invalid. */
    async questionOf(name: string, input: unknown): Promise<ApprovalRequest | undefined> {
      const tool = TOOLS.find((one) => one.name === name);
      try {
        await project.refresh();
        return await tool?.bind(input).question?.({ project, signal: new AbortController().signal });
      } catch {
        // The call itself reports the problem.
        return undefined;
      }
    },
  };
}

/** Asks for agreement, does what the tool does, and logs it. */
function createAct({ project, client, budget }: AgentOptions) {
  let total = NOTHING_SPENT;
  return async (bound: BoundTool, { name, ask, signal }: ToolCall): Promise<ResultText> => {
    const context: CallContext = { project, signal };
    let agreed: Agreement;
    let limits: Limits | undefined;
    const log = async (action: Pick<AgentAction, "outcome" | "calls" | "costUsd">): Promise<void> => {
      const about = { at: Date.now(), client: client(), tool: name, subject: bound.subject };
      await logAction(project.deck.dir, { ...about, ...action, ...(agreed && { agreed }) }).catch(
        () => undefined,
      );
    };
    try {
      await project.refresh();
      const question = await bound.question?.(context);
      if (question !== undefined) {
        ({ limits } = question);
        agreed = isWithin(limits, budget, total) ? "budget" : (await ask(question)) ? "person" : undefined;
        if (agreed === undefined) {
          await log({ outcome: "refused" });
          return new ResultText().line(REFUSED);
        }
      }
      const { text, spent } = await bound.call(context);
      if (spent !== undefined) total = addSpending(total, spent);
      await log({ outcome: "done", ...(spent && { calls: spent.calls, costUsd: spent.costUsd }) });
      return text;
    } catch (error) {
      // How much a run spent that failed is not known, so all that it was allowed counts.
      if (agreed !== undefined) total = addSpending(total, countAtMost(limits));
      await log({ outcome: "failed" });
      throw error;
    }
  };
}

const REFUSED =
  "Refused: the user did not agree, or this program cannot ask the user. Nothing was sent or changed. Do not try again; tell the user which tool you wanted to call and why.";

/** Whether a run fits what is left of the budget. Without a budget in calls, a person is asked: prices can be unknown. */
function isWithin(limits: Limits | undefined, budget: Limits | undefined, spent: Spending): boolean {
  if (limits === undefined || budget?.calls === undefined) return false;
  const fits = (requested: number | undefined, allowed: number | undefined, used: number): boolean =>
    allowed === undefined || (requested !== undefined && used + requested <= allowed);
  return fits(limits.calls, budget.calls, spent.calls) && fits(limits.costUsd, budget.costUsd, spent.costUsd);
}

const countAtMost = ({ calls = 0, costUsd = 0 }: Limits = {}): Spending => ({
  ...NOTHING_SPENT,
  calls,
  costUsd,
});

function describeFailure(error: unknown): ResultText {
  const text = new ResultText();
  if (error instanceof ZodError)
    return text
      .line("The input is invalid.")
      .quote(
        "problem",
        error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n"),
        600,
      );
  if (error instanceof ToolProblem) return text.line(error.message).line(error.hint);
  if (isTapedeckError(error)) return text.quote("error", explain(error), 800);
  return text.quote("error", localize("This is a bug in Tapedeck. {0}", String(error)), 400);
}
