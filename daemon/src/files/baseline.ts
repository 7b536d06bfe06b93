import { createHash, hash } from 'node:crypto'

const LENGTH = 24

/** The opaque version of a note's content: the first 24 hex digits of the SHA-256 of its bytes. */
export function baselineOf(bytes: Uint8Array): string {
  return hash('sha256', bytes).slice(0, LENGTH)
}

/** The hash under which git stores content. The history compares content by it. */
export function blobNameOf(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
