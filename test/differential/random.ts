import type { Random } from "../support/seeded.ts";

/** A value, or null as often as chance leaves it out. */
export const maybe = <T>(random: Random, chance: number, value: () => T): T | null =>
  random() < chance ? value() : null;

/** Returns between 0 and `most` made items. */
export const many = <T>(random: Random, most: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, (_, index) => make(index));
