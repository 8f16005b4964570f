/** Tells turns of the event loop apart. */
export interface LoopTurns {
  /** The number of this turn, the same for all that is read from sockets in it. */
  now(): number;
}

export function createLoopTurns(): LoopTurns {
  let turn = 0;
  let isCounted = false;
  return {
    now() {
      if (!isCounted) {
        isCounted = true;
        setImmediate(() => {
          isCounted = false;
          turn += 1;
        });
      }
      return turn;
    },
  };
}
