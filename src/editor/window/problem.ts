import * as vscode from "vscode";
import { visible } from "../../core/base/visible.ts";

/** Who speaks, in the list of problems: stable, so that people can filter by it. */
export const PROBLEM_SOURCE = "tapedeck";

/** Where something is in a file, from 1, as a person counts. */
export interface LinePlace {
  readonly line: number;
  readonly column: number;
}

/** The editor counts from 0. */
export function positionOf({ line, column }: LinePlace): vscode.Position {
  return new vscode.Position(line - 1, column - 1);
}

/** A problem of the one character at a place. Its severity is an error's. */
export function problemAt(place: LinePlace, message: string, code: string): vscode.Diagnostic {
  const start = positionOf(place);
  const problem = new vscode.Diagnostic(new vscode.Range(start, start.translate(0, 1)), visible(message));
  problem.source = PROBLEM_SOURCE;
  problem.code = code;
  return problem;
}
