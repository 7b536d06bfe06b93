import type { LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'

/**
 * How far the text of a note has come on its way to the file. `loading`: not connected yet, nothing typed; `saving`:
 * sent, not confirmed; `saved`: it survives a crash of the daemon; `durable`: it is in the note file, which has that
 * baseline; `offline`: not connected, and typed text stays on this device; `asleep`: the host sleeps, and nothing is
 * unsent; `failed`: the host cannot store text, the daemon or this page tries again; `refused`: the daemon rejects the
 * typed text, and a retry would fail too; `conflict`: a person must choose between two versions.
 */
export type SaveState =
  | { state: 'loading' | 'saving' | 'saved' | 'asleep' | 'conflict' }
  | { state: 'offline'; hasUnsent: boolean }
  | { state: 'durable'; at: string; baseline: string }
  | { state: 'failed' | 'refused'; code: string; hasUnsent: boolean }
  | { state: 'gone'; who: LiveWho | undefined; rescued: boolean; hasUnsent: boolean }

/** The inputs of the save state. */
export type SaveFacts = {
  phase: 'offline' | 'joining' | 'ready' | 'refused' | 'gone'
  /** Connections that broke since everything was sent or a push was confirmed. */
  attempts: number
  /** The host reported that it sleeps, and nobody asked it to wake. */
  isAsleep: boolean
  hasUnsent: boolean
  hasConflict: boolean
  /** Why the daemon cannot write or rejects the text. */
  failure: string | undefined
  version: number
  durable: { version: number; at: string; baseline: string } | undefined
  end: { who: LiveWho | undefined; rescued: boolean } | undefined
}

/** The state to show. Pure. */
export function saveStateOf(facts: SaveFacts): SaveState {
  const { phase, attempts, hasUnsent, failure, durable } = facts
  if (phase === 'gone') return { state: 'gone', who: facts.end?.who, rescued: facts.end?.rescued ?? false, hasUnsent }
  if (phase === 'refused') return { state: 'refused', code: failure ?? 'invalid_request', hasUnsent }
  if (facts.hasConflict) return { state: 'conflict' }
  if (phase === 'offline' && facts.isAsleep && !hasUnsent) return { state: 'asleep' }
  if (phase !== 'ready') {
    if (attempts > 0 && hasUnsent && failure !== undefined) return { state: 'failed', code: failure, hasUnsent }
    if (attempts > 0) return { state: 'offline', hasUnsent }
    return { state: hasUnsent ? 'saving' : 'loading' }
  }
  if (failure !== undefined) return { state: 'failed', code: failure, hasUnsent }
  if (hasUnsent) return { state: 'saving' }
  if (!durable || durable.version < facts.version) return { state: 'saved' }
  return { state: 'durable', at: durable.at, baseline: durable.baseline }
}

/** Whether text would be lost if this device failed now; a save in flight counts as safe. */
export function isUnsafe(save: SaveState): boolean {
  switch (save.state) {
    case 'conflict':
      return true
    case 'offline':
    case 'refused':
    case 'failed':
    case 'gone':
      return save.hasUnsent
    default:
      return false
  }
}
