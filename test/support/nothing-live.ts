import type { LiveNotes } from '../../daemon/src/vaults/live-notes.ts'

/** The live sessions of a vault in which nobody edits. */
export const nothingLive: LiveNotes = {
  unsaved: () => undefined,
  written: () => undefined,
  unsavedNotes: () => [],
  save: async () => {},
  saveAll: async () => new Map(),
  flush: async () => new Map(),
  logged: async () => {},
  close: async () => {},
}
