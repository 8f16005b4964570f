/*
 * All of a team cache that other modules use, as one module: it is loaded if a cache is named.
 */
export { createKeyPair as newKeyPair } from "../remote/team-keys.ts";
export { readRemoteSettings } from "./settings.ts";
export { createTeamCache } from "./team-cache.ts";
export { describePulled, describePushed, openTransfer, pull, push } from "./transfer.ts";
