// Gets a browser where there is none, and tries it: see host/browser.mjs for which.
import { launchBrowser } from "./host/browser.mjs";

const browser = await launchBrowser();
await browser.close();
