import * as vscode from "vscode";
import { makeVisible } from "../../core/base/visible.ts";

/** The source in the Problems view. It is stable, so that people can filter by it. */
export const PROBLEM_SOURCE = "tapedeck";

/** A place in a file, 1-based. */
export interface LinePlace {
  readonly line: number;
  readonly column: number;
}

/** The editor counts from 0. */
export function getPosition({ line, column }: LinePlace): vscode.Position {
  return new vscode.Position(line - 1, column - 1);
}

/** Creates an error for the one character at a place. */
export function createProblem(place: LinePlace, message: string, code: string): vscode.Diagnostic {
  const start = getPosition(place);
  const problem = new vscode.Diagnostic(new vscode.Range(start, start.translate(0, 1)), makeVisible(message));
  problem.source = PROBLEM_SOURCE;
  problem.code = code;
  return problem;
}
