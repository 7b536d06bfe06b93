import { identityKey } from './vault-path.ts'

const ASCII = /^[\0-\x7F]*$/
const [UPPER_A, UPPER_Z, CASE] = [65, 90, 32]

/**
 * Finds names with an identity key, in folders of any number of names: a key is made only of names that may have it. As
 * fast as comparing, where one key for each of 100,000 names would hold the event loop.
 */
export function twinFinder(key: string): (name: string) => boolean {
  if (!ASCII.test(key)) return (name) => identityKey(name) === key
  return (name) => {
    // What becomes ASCII by folding has as many characters as before.
    if (name.length !== key.length) return false
    // Names of notes often differ near their end.
    for (let index = name.length - 1; index >= 0; index--) {
      const code = name.charCodeAt(index)
      if (code > 127) return identityKey(name) === key
      const folded = code >= UPPER_A && code <= UPPER_Z ? code + CASE : code
      if (folded !== key.charCodeAt(index)) return false
    }
    return true
  }
}
