// Compiles the suite that runs in the extension host into dist-test/, where VS Code finds it.
import { compileSuite } from "./host/extension-suite.mjs";

await compileSuite("integration");
