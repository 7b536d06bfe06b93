import type { NotePlace } from '@svc/shared/wire/daemon/note-address.ts'
import type { Entry } from '../answers.ts'
import type { ApiFailure } from '../api-failure.ts'

/** The next step of an entry. */
export type EntryStep = { step: 'wait'; seconds: number; because: 'waking' | 'busy' } | { step: 'give-up' }

/** How many seconds an entry has waited, and whether its daemon has said that it is waking. */
export type Waited = { waitedSeconds: number; waking: boolean }

/** The time for a sleeping daemon to wake. */
export const PATIENCE_SECONDS = 180

const waits: Record<string, 'waking' | 'busy'> = {
  daemon_waking: 'waking',
  relay_overloaded: 'busy',
  too_many_requests: 'busy',
  store_unavailable: 'busy',
}

/**
 * The next step after a refused entry: wait for a waking daemon, or give up. A waking daemon counts as offline until
 * its first connection.
 */
export function afterRefusal(failure: ApiFailure, { waitedSeconds, waking }: Waited): EntryStep {
  const known = Object.hasOwn(waits, failure.code) ? waits[failure.code] : undefined
  const because = known ?? (waking && failure.code === 'daemon_offline' ? 'waking' : undefined)
  if (because === undefined || waitedSeconds >= PATIENCE_SECONDS) return { step: 'give-up' }
  return { step: 'wait', seconds: Math.min(30, Math.max(1, failure.retryAfterSeconds ?? 2)), because }
}

/**
 * Goes to the vault: a real form, posted to the vault origin. The assertion never appears in an address, and the
 * current history entry stays unchanged.
 */
export function enterByForm({ url, assertion }: Pick<Entry, 'url' | 'assertion'>, { path, heading }: NotePlace) {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = url
  form.enctype = 'application/x-www-form-urlencoded'
  form.hidden = true
  for (const [name, value] of Object.entries({ assertion, path, heading })) {
    if (value === undefined) continue
    const field = document.createElement('input')
    field.type = 'hidden'
    field.name = name
    field.value = value
    form.append(field)
  }
  document.body.append(form)
  form.submit()
  form.remove()
}
