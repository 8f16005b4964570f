let programName = "npx tapedeck";

/** Sets the words that start the command line where this program is installed. */
export function setProgramName(name: string): void {
  programName = name;
}

/** Returns the words that start the command line. Default: those of a project that installed the npm package. */
export const getProgramName = (): string => programName;
