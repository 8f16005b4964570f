/**
 * Commands that CI systems run when they appear in a log: `##[…]` of GitHub and Azure Pipelines, `##vso[…]`,
 * `##teamcity[…]`, anywhere in a line. Sources: github.com/actions/runner (ActionCommand.cs), Azure's "Logging commands",
 * TeamCity's "Service messages".
 */
const IN_LINE = /##(?=(?:vso|teamcity|octopus)?\[)/gi;
/** The same in JSON, with the first character as the match, because that one is escaped. */
const IN_JSON = /#(?=#(?:(?:vso|teamcity|octopus)?\[))/gi;
/** GitHub's `::name …::`, at the beginning of a line behind white space. */
const AT_BEGINNING = /^(\s*):(?=:[a-z])/gim;
/** Headings of Buildkite's groups, and sections of GitLab and Travis. */
const SECTION = /^(?=(?:---|\+\+\+|~~~|\^\^\^) )/gm;
const MARK = /\b(section_(?:start|end)|travis_(?:fold|time)):(?=\w)/gi;

/** Text for a log in which no line is a command to a CI system: each is written with one more space. */
export function withoutWorkflowCommands(text: string): string {
  return text
    .replaceAll(IN_LINE, "# #")
    .replaceAll(AT_BEGINNING, "$1: ")
    .replaceAll(SECTION, " ")
    .replaceAll(MARK, "$1 : ");
}

/** The same of JSON, which reads as the same value. */
export const jsonWithoutWorkflowCommands = (json: string): string =>
  json.replaceAll(IN_JSON, String.raw`\u0023`);
