import type { RemoteAddress } from "./address/remote-address.ts";
import type { RemoteStore, OpenOptions } from "./remote-store.ts";

/**
 * Opens a remote and finds out what can be done with it. Each engine is loaded where it is asked for.
 * @throws TapedeckError `tapedeck_remote` where it cannot be used: what it is, and what to do
 */
export async function openRemote(address: RemoteAddress, options: OpenOptions): Promise<RemoteStore> {
  if (address.type === "folder") {
    const { openSharedFolder } = await import("./folder/shared-folder.ts");
    return openSharedFolder(address, options);
  }
  if (address.type === "redis") {
    const { openRedis } = await import("./redis/redis-remote.ts");
    return openRedis(address, options);
  }
  const { openS3 } = await import("./s3/s3-remote.ts");
  return openS3(address, options);
}
