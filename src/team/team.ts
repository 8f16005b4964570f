/*
 * All of a team's cache that others use, as one module: it is loaded where a cache is named, and nowhere else.
 */
export { newKeyPair, newSharedKey } from "../remote/sealed/team-keys.ts";
export { openTransfer } from "./transfer.ts";
export { pull } from "./pull.ts";
export { push } from "./push.ts";
export { readRemoteSettings } from "./settings.ts";
export { statusOf } from "./status.ts";
export { createTeamCache } from "./team-cache.ts";
