import { readBeginning, type FrameBeginning } from "../wire/sse.ts";

/** Whether the beginning of a frame may still get a data field that `couldBe` accepts. `couldBe` is given a beginning. */
export function mayGetData(beginning: string, couldBe: (data: string) => boolean): boolean {
  const { fields, openName, openValue } = readBeginning(beginning);
  if (fields.data !== undefined) return couldBe(fields.data);
  return openName === "data" ? couldBe(openValue) : true;
}

/** Whether the beginning of a frame may still be an event of this name. A frame names itself once, before its data. */
export function mayBeNamed(beginning: string, name: string): boolean {
  const { fields, openName, openValue }: FrameBeginning = readBeginning(beginning);
  if (fields.event !== undefined) return fields.event === name;
  return openName === "event" ? name.startsWith(openValue) : true;
}
