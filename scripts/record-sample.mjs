// Records the tests of samples/language-models again.
import { recordLanguageModels } from "./host/extension-suite.mjs";

const { passed, failures = [] } = await recordLanguageModels();
console.log([`${passed} tests passed`, ...failures].join("\n\n"));
process.exit(failures.length === 0 ? 0 : 1);
