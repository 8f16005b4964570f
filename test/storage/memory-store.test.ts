import { createMemoryStore } from "../../src/storage/memory-store.ts";
import { storeContract } from "../contract/store-contract.ts";

storeContract("the memory store", () => createMemoryStore());
