import { fieldsOf, type Fields } from "../../core/protocol/reading/lenient.ts";
import type { Extras } from "../message.ts";

/** What of a part's or message's extras is for one family of providers: the object under its name. */
export function extrasFor(family: string, { extras }: { readonly extras?: Extras }): Fields {
  return fieldsOf(extras?.[family]);
}
