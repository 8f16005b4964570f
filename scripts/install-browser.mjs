// Installs a browser if there is none, and starts it once. host/browser.mjs decides which.
import { launchBrowser } from "./host/browser.mjs";

const browser = await launchBrowser();
await browser.close();
