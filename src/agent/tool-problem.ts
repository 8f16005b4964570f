/**
 * A problem that the agent itself can correct. Its texts are for models, and contain nothing from requests, replies, or
 * files.
 */
export class ToolProblem extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
