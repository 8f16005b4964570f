import { readOwnUpstreams } from "../../core/protocol/own-upstreams.ts";

/**
 * Addresses that the environment in which VS Code was started names, read before any variable of ours is among them.
 * A workspace has no effect here: neither its `.env` files nor its settings of terminals are read.
 */
export const OWN_UPSTREAMS = readOwnUpstreams({ ...process.env });
