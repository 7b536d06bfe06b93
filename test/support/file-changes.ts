import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const CHANGES = ['chmod', 'chown', 'cp', 'link', 'mkdir', 'rename', 'rm', 'symlink', 'writeFile'] as const

type Call = (...args: unknown[]) => unknown
const promises = fs.promises as unknown as Record<string, Call>

/**
 * Calls `before` before each change that this process makes through `node:fs/promises`; returns the function that stops
 * it.
 */
export function beforeEachChange(before: () => void): () => void {
  const originals = new Map([...CHANGES, 'open'].map((name) => [name, promises[name]!]))
  for (const name of CHANGES)
    promises[name] = async (...args) => {
      before()
      return originals.get(name)!(...args)
    }
  promises['open'] = async (...args) => {
    const [, flags] = args
    const reads = flags === undefined || flags === 'r' || (typeof flags === 'number' && (flags & 0o103) === 0)
    if (!reads) before()
    return originals.get('open')!(...args)
  }
  syncBuiltinESMExports()
  return () => {
    for (const [name, original] of originals) promises[name] = original
    syncBuiltinESMExports()
  }
}
