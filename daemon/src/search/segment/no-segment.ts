import type { Segment } from './segment.ts'

/** What an index has before its first segment: nothing is in it. */
export const NO_SEGMENT: Segment = {
  files: 0,
  notes: 0,
  tokens: 0,
  lengths: new Uint32Array(0),
  find: async () => [],
  read: async () => new Uint8Array(0),
  section: async () => Buffer.alloc(0),
  close: async () => {},
}
