import * as vscode from "vscode";
import { setOptionNames, setTranslations } from "../../core/base/localize.ts";

// Runs before every other module of the extension, because some compose their texts when they are loaded.
setTranslations(vscode.l10n.bundle);
setOptionNames("settings");
