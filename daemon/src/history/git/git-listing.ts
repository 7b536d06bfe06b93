import type { NamedNote } from '../../watch/known-notes.ts'

const TAB = 9
const BLOB = 40

/**
 * Takes the output of `git ls-tree -r -z` in chunks, and calls back with each file. An entry is the mode, kind and name
 * of the content, a tab, the path, and a NUL. Keeps only an incomplete entry between chunks.
 */
export function createGitListing(visit: (note: NamedNote) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      const tab = bytes.indexOf(TAB, start)
      visit({ path: bytes.toString('utf8', tab + 1, end), blob: bytes.toString('latin1', tab - BLOB, tab) })
      start = end + 1
    }
    rest = Buffer.from(bytes.subarray(start))
  }
}

/** Takes output of git in chunks, and calls back with each line. Keeps only an incomplete one between chunks. */
export function createGitLines(visit: (line: string) => void): (chunk: Buffer) => void {
  let rest = ''
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop()!
    lines.forEach(visit)
  }
}
