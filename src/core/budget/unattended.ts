/** Whether a program runs unattended, by the variable that CI systems set. */
export function isCi({ CI = "" }: Readonly<Record<string, string | undefined>>): boolean {
  return !["", "0", "false", "no"].includes(CI.toLowerCase());
}
