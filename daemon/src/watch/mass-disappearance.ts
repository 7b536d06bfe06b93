const SHARE = 0.3
const LEAST = 10

/**
 * True when so much is gone at once that it may be an unmounted volume or a half-copied vault rather than a wish.
 * Small vaults are excepted: a person may well remove half of ten notes.
 */
export function isMassDisappearance({ gone, known }: { gone: number; known: number }): boolean {
  return gone >= LEAST && gone > known * SHARE
}
