/** What looks through a whole folder or at one file of it, and mends it and its rules: a file of its own, loaded when that is asked for. */
export { withRules } from "../../core/config/edit-config.ts";
export { fittingPlace } from "../../storage/check/fitting-place.ts";
export { fixNames, forgetRules } from "../../storage/check/fix-names.ts";
export { inspect } from "../../storage/check/inspect.ts";
export { inspectFile } from "../../storage/check/inspect-file.ts";
