/**
 * Commands that CI systems run when they appear in a log: `##[…]` of GitHub and Azure Pipelines, `##vso[…]`,
 * `##teamcity[…]`, anywhere in a line. Sources: github.com/actions/runner (ActionCommand.cs), Azure's "Logging commands",
 * TeamCity's "Service messages".
 */
const IN_LINE = /##(?=(?:vso|teamcity|octopus)?\[)/gi;
/** Matches the first character of the same commands in JSON, because that one is escaped. */
const IN_JSON = /#(?=#(?:(?:vso|teamcity|octopus)?\[))/gi;
/** GitHub's `::name …::` at the start of a line, after white space. */
const AT_BEGINNING = /^(\s*):(?=:[a-z])/gim;
/** Headings of Buildkite's groups, and sections of GitLab and Travis. */
const SECTION = /^(?=(?:---|\+\+\+|~~~|\^\^\^) )/gm;
const MARK = /\b(section_(?:start|end)|travis_(?:fold|time)):(?=\w)/gi;

/** Disables commands to CI systems in a text for a log by adding a space to each. */
export function withoutWorkflowCommands(text: string): string {
  return text
    .replaceAll(IN_LINE, "# #")
    .replaceAll(AT_BEGINNING, "$1: ")
    .replaceAll(SECTION, " ")
    .replaceAll(MARK, "$1 : ");
}

/** Disables commands to CI systems in JSON without changing its value. */
export const escapeWorkflowCommandsInJson = (json: string): string =>
  json.replaceAll(IN_JSON, String.raw`\u0023`);
