import assert from "node:assert/strict";
import { extensions, commands } from "vscode";

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

function tapedeck() {
  const extension = extensions.getExtension("tapedeck.llm-tapedeck");
  assert.ok(extension, "the extension is installed");
  return extension;
}

describe("activation", () => {
  it("activates without a fault", async () => {
    const extension = tapedeck();

    await extension.activate();

    assert.equal(extension.isActive, true);
  });

  it("registers every command that the manifest contributes", async () => {
    const extension = tapedeck();
    const { contributes } = extension.packageJSON as Manifest;
    const contributed = contributes.commands.map(({ command }) => command);

    await extension.activate();

    const registered = new Set(await commands.getCommands(true));
    assert.ok(contributed.length > 0, "the manifest contributes commands");
    assert.deepEqual(
      contributed.filter((id) => !registered.has(id)),
      [],
    );
  });
});
