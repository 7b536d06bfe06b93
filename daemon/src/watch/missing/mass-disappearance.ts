import type { Log } from '@svc/shared/kit/log.ts'
import type { Timers } from '../timers.ts'

const SHARE = 0.3
const LEAST = 10

/**
 * True when so many files disappeared at once that the cause may be an unmounted volume or a half-copied vault. Not for
 * small vaults: a person may well remove half of ten notes.
 */
export function isMassDisappearance({ gone, known }: { gone: number; known: number }): boolean {
  return gone >= LEAST && gone > known * SHARE
}

/** Doubt after so many files were gone at once that the cause may be something else than deletions. */
export type Doubt = {
  /** `held`: the missing files are not taken for deleted yet. `many`: they are, but so many are gone that it is odd. */
  judge(seen: { missing: number; known: number }): 'held' | 'many' | 'few'
}

type Options = {
  later: Timers['later']
  timing: { confirmMs: number }
  /** Compares the whole vault with the disk. Calls `onBegin` right before, after comparisons that began earlier. */
  decide(onBegin: () => void): Promise<void>
  log: Log
}

/** Decides by one more comparison, some time after the first doubt. Until then, all further missing files are kept. */
export function createDoubt({ later, timing, decide, log }: Options): Doubt {
  let state: 'none' | 'waiting' | 'deciding' = 'none'

  return {
    judge({ missing, known }) {
      // A vault that vanishes slowly is seen in several parts, and each may look like an ordinary deletion.
      if (state === 'waiting') return 'held'
      if (!isMassDisappearance({ gone: missing, known })) return 'few'
      if (state === 'deciding') return 'many'
      log.warn({ missing, known }, 'many files are gone at once; waiting to be sure')
      state = 'waiting'
      later(timing.confirmMs, async () => {
        await decide(() => void (state = 'deciding')).finally(() => (state = 'none'))
      })
      return 'held'
    },
  }
}
