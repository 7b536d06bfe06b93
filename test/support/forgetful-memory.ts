import type { FileMemory } from '../../daemon/src/vaults/file-memory.ts'

/** The memory of a vault that is read for the first time: it holds nothing and keeps nothing. */
export const forgetfulMemory: FileMemory = {
  open: async () => {},
  begin: () => {},
  rebuild: async () => {},
  walk: () => undefined,
  remove: () => {},
  stop: () => {},
}
