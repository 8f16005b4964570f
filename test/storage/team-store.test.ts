import { join } from "node:path";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { createTeamStore } from "../../src/storage/team/team-store.ts";
import { storeContract } from "../contract/store-contract.ts";
import { aFolder } from "../support/a-folder.ts";

storeContract("the store of a team", () => {
  const [dir, layerDir] = [join(aFolder(), ".tapedeck"), join(aFolder(), "team")];
  const [folder, layer] = [createFolderStore(dir), createFolderStore(layerDir)];
  return createTeamStore({ dir, folder, layerDir, layer, warn: () => undefined });
});
