import { inOnePass } from "./keywords.ts";
import { namedValues } from "./kinds/generic.ts";
import { shapes } from "./shapes.ts";

/** All rules: a file of its own, because most runs need none of them. */
export const scanAll = inOnePass([shapes, namedValues]);
