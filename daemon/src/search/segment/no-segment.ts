import type { Segment } from './segment.ts'

/** The empty segment of an index before its first build. */
export const NO_SEGMENT: Segment = {
  files: 0,
  notes: 0,
  tokens: 0,
  lengths: new Uint32Array(0),
  find: async () => [],
  read: async () => new Uint8Array(0),
  pairs: async () => new Uint8Array(0),
  section: async () => Buffer.alloc(0),
  close: async () => {},
}
