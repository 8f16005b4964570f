import { pickOne } from "../window/picks.ts";
import { OFFERED_FAULTS, type OfferedFault } from "./faults-model.ts";

/** Lets a person pick what goes wrong; undefined where they gave up. */
export async function pickFault(): Promise<OfferedFault | undefined> {
  const items = OFFERED_FAULTS.map((fault) => ({
    icon: fault.icon,
    label: `With ${fault.text}`,
    detail: fault.detail,
    fault,
  }));
  const picked = await pickOne(items, {
    title: "Tapedeck: replay this with a fault on purpose",
    placeholder: "What goes wrong? Nothing is recorded, and nothing leaves this machine",
    matchOnDetail: true,
  });
  return picked?.fault;
}
