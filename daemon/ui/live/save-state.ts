import type { LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'

/**
 * How a note stands between here and its file. `loading`: not connected yet, nothing typed; `saving`: sent, not confirmed;
 * `saved`: it survives a crash of the daemon; `durable`: it is in the note file; `offline`: not connected, and what is
 * typed stays here; `failed`: the file cannot be written, the daemon tries again; `refused`: the daemon does not take
 * what was typed, and would not take it again; `conflict`: a person must choose between two versions.
 */
export type SaveState =
  | { state: 'loading' | 'saving' | 'saved' | 'conflict' }
  | { state: 'offline'; hasUnsent: boolean }
  | { state: 'durable'; at: string }
  | { state: 'failed' | 'refused'; code: string; hasUnsent: boolean }
  | { state: 'gone'; who: LiveWho | undefined; rescued: boolean; hasUnsent: boolean }

/** What the save state follows from. */
export type SaveFacts = {
  phase: 'offline' | 'joining' | 'ready' | 'refused' | 'gone'
  /** Connections that were tried since the last one that held. */
  attempts: number
  hasUnsent: boolean
  hasConflict: boolean
  /** Why the daemon cannot write or does not take the text. */
  failure: string | undefined
  version: number
  durable: { version: number; at: string } | undefined
  end: { who: LiveWho | undefined; rescued: boolean } | undefined
}

/** The state to tell the person. Pure. */
export function saveStateOf(facts: SaveFacts): SaveState {
  const { phase, attempts, hasUnsent, failure, durable } = facts
  if (phase === 'gone') return { state: 'gone', who: facts.end?.who, rescued: facts.end?.rescued ?? false, hasUnsent }
  if (phase === 'refused') return { state: 'refused', code: failure ?? 'invalid_request', hasUnsent }
  if (facts.hasConflict) return { state: 'conflict' }
  if (phase !== 'ready') {
    if (attempts > 0) return { state: 'offline', hasUnsent }
    return { state: hasUnsent ? 'saving' : 'loading' }
  }
  if (failure !== undefined) return { state: 'failed', code: failure, hasUnsent }
  if (hasUnsent) return { state: 'saving' }
  return durable && durable.version >= facts.version ? { state: 'durable', at: durable.at } : { state: 'saved' }
}

/** Whether words could be lost if this device went away now; a save that is on its way counts as safe. */
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
