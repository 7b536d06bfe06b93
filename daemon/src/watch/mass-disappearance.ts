const SHARE = 0.3
const LEAST = 10

/**
 * True when so many files disappeared at once that the cause may be an unmounted volume or a half-copied vault. Not for
 * small vaults: a person may well remove half of ten notes.
 */
export function isMassDisappearance({ gone, known }: { gone: number; known: number }): boolean {
  return gone >= LEAST && gone > known * SHARE
}
