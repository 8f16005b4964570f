import { parentPort } from "node:worker_threads";
import { jobs } from "./jobs.ts";
import { buffersIn, toldError, type Asked, type Told } from "./messages.ts";

/** The thread's program: does one job after another, and gives back bytes without copying them. */
parentPort?.on("message", (asked: Asked) => void answer(asked));

async function answer({ id, job, setting, input }: Asked): Promise<void> {
  const work = jobs[job] as (setting: Asked["setting"], input: unknown) => Promise<unknown>;
  let told: Told;
  try {
    told = { id, output: await work(setting, input) };
  } catch (error) {
    told = { id, error: toldError(error) };
  }
  parentPort?.postMessage(told, buffersIn(told));
}
