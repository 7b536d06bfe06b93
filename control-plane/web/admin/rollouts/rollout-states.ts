import type { Tone } from '../../controls/status.tsx'
import type { MemberCounts, RolloutState } from '../admin-answers.ts'

const tones: Record<RolloutState, Tone> = {
  running: 'busy',
  paused: 'warning',
  stopped: 'bad',
  aborted: 'idle',
  succeeded: 'good',
}

/** The colour of a rollout's state. */
export function rolloutTone(state: RolloutState): Tone {
  return tones[state]
}

/** The possible changes of a rollout in a state. */
export function rolloutChanges(state: RolloutState): ('pause' | 'resume' | 'abort')[] {
  if (state === 'running') return ['pause', 'abort']
  return state === 'paused' || state === 'stopped' ? ['resume', 'abort'] : []
}

export type Part = { name: 'succeeded' | 'failed' | 'rolling' | 'waiting'; count: number; percent: number }

/** The members of a rollout as parts of a bar; skipped ones count as done, deferred ones as waiting. */
export function progressParts(counts: MemberCounts): Part[] {
  const parts = {
    succeeded: counts.succeeded + counts.skipped,
    failed: counts.failed + counts.stalled,
    rolling: counts.rolling,
    waiting: counts.pending + counts.deferred,
  }
  const percent = (count: number) => (counts.total === 0 ? 0 : (count / counts.total) * 100)
  return (Object.keys(parts) as Part['name'][]).map((name) => ({
    name,
    count: parts[name],
    percent: percent(parts[name]),
  }))
}

/** The members in words: "12 of 40 done, 1 failed, 3 asleep". */
export function progressWords(counts: MemberCounts): string {
  const words = [`${counts.succeeded + counts.skipped} of ${counts.total} done`]
  if (counts.rolling > 0) words.push(`${counts.rolling} changing`)
  if (counts.failed > 0) words.push(`${counts.failed} failed`)
  if (counts.stalled > 0) words.push(`${counts.stalled} stalled`)
  if (counts.deferred > 0) words.push(`${counts.deferred} asleep until their next wake`)
  return words.join(', ')
}

/** In words: when a rollout with this many allowed failures stops by itself. */
export const stopWords = (allowed: number): string => (allowed === 0 ? 'the first failure' : `${allowed + 1} failures`)
