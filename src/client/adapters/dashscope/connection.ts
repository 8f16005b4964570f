import type { Connection } from "../connection.ts";

/** `baseURL` is the address up to and with `/api/v1`; DASHSCOPE_HTTP_BASE_URL where it is not given. */
export type DashscopeConnection = Connection;
