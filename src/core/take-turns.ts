/**
 * Asked at each step of long work. Gives a turn of the event loop to wait for where one is due, so that others have
 * theirs; undefined where none is, and the work goes on at once.
 */
export type TakeTurns = () => Promise<void> | undefined;
