/** Creates a queue that runs actions one after another. A failure rejects for its caller; the next action starts anyway. */
export function createQueue(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const mine = last.then(action);
    last = mine.catch(() => undefined);
    return mine;
  };
}
