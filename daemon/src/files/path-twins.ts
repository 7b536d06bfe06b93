/** Equal for two paths that some file system would take for the same: normal form and case folded. */
export const identityKey = (path: string): string => path.normalize('NFC').toLowerCase()

const ASCII = /^[\0-\x7F]*$/
const [UPPER_A, UPPER_Z, CASE] = [65, 90, 32]

/**
 * Finds names with a given identity key, in folders with any number of names. The key is computed only for names that
 * may match, so this is as fast as a comparison; computing a key for each of 100,000 names would block the event loop.
 */
export function twinFinder(key: string): (name: string) => boolean {
  if (!ASCII.test(key)) return (name) => identityKey(name) === key
  return (name) => {
    // Folding to ASCII does not change the number of characters.
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
