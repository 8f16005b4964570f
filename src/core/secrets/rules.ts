/** All rules: a bundle of its own, because most runs need none of them. */
export { scanPreset } from "./preset.ts";
export { scanShapes } from "./shapes.ts";
