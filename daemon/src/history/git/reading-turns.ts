import { createInTurns } from '@svc/shared/kit/in-turns.ts'

// Enough for many readers of small notes. Each git has memory of its own, and a hosted daemon has 512 MiB for all.
const AT_ONCE = 8

/** Runs a git that reads for a request, a few at a time in this process. None of them may wait for another. */
export const inReadingTurn = createInTurns(AT_ONCE)
