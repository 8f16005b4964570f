/**
 * A variable that a shell, a container or a test run brings along switches no check of certificates off: keys go out
 * here. Otherwise nothing is said, so that the editor's own setting holds.
 */
export function checkedInSpiteOf(env: NodeJS.ProcessEnv): { readonly rejectUnauthorized?: true } {
  return env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0" ? { rejectUnauthorized: true } : {};
}
