/** Runs one task of a name at a time. Other tasks of that name wait, and learn that they waited. */
type SingleFlight = <T>(name: string, task: (waited: boolean) => Promise<T>) => Promise<T>;

/**
 * The task's answer counts as landed when it is settled, so that a waiting call finds the recording on disk.
 * Tasks that fail wake the next one.
 */
export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Promise<unknown>>();
  return async (name, task) => {
    let waited = false;
    for (let under = flights.get(name); under !== undefined; under = flights.get(name)) {
      waited = true;
      await under;
    }
    const flight = task(waited);
    const landed = flight.then(landing, () => {}).finally(() => flights.delete(name));
    flights.set(name, landed);
    return flight;
  };
}

async function landing(result: unknown): Promise<void> {
  if (typeof result !== "object" || result === null || !("settled" in result)) return;
  await result.settled;
}
