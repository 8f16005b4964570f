import { answers } from "./answers.ts";
import { credentials } from "./credentials.ts";
import { kills } from "./kills.ts";
import { requests } from "./requests.ts";
import { secrets } from "./secrets.ts";
import type { Torture } from "./torture.ts";
import { workers } from "./workers.ts";

export const tortures: readonly Torture[] = [kills, workers, credentials, secrets, requests, answers];
