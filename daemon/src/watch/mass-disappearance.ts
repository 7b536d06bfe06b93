const SHARE = 0.3
const LEAST = 10

/**
 * True when so many files are gone at once that the cause may be an unmounted volume or a half-copied vault. Small
 * vaults are excepted: a person may well remove half of ten notes.
 */
export function isMassDisappearance({ gone, known }: { gone: number; known: number }): boolean {
  return gone >= LEAST && gone > known * SHARE
}
