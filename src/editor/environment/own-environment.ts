import process from "node:process";
import { readOwnUpstreams } from "../../core/protocol/own-upstreams.ts";

/**
 * Addresses that the environment in which VS Code was started names, read before any variable of ours is among them.
 * Nothing of a workspace counts here: not its `.env` files, nor what its settings give terminals.
 */
export const OWN_UPSTREAMS = readOwnUpstreams({ ...process.env });
