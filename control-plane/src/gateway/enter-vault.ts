import type { IncomingMessage, ServerResponse } from 'node:http'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { noteAddress, readLinkedHeading, readLinkedPath } from '@svc/shared/wire/daemon/note-address.ts'
import { ENTRY_SESSION_MS } from '../entry/entry-secret.ts'
import type { EntrySessions } from '../entry/entry-sessions.ts'
import type { VerifyEntry } from '../entry/verify-entry.ts'
import { entryCookie, readEntryCookie } from '../entry/entry-cookie.ts'
import { originHeaders } from '../http/vault-origin-headers.ts'
import type { VaultOrigin } from '../entry/vault-origins.ts'
import { readSmallBody } from './read-small-body.ts'

const MAX_FORM_BYTES = 4 * 1024

type Options = {
  baseUrl: string
  secure: boolean
  entries: EntrySessions
  verifyEntry: VerifyEntry
  /** Counts an assertion that is not valid, by the address that sent it; throws when there were too many. */
  countWrong(request: IncomingMessage): Promise<void>
}
type Visit = { request: IncomingMessage; response: ServerResponse; origin: VaultOrigin }

/** The gateway's own routes on a vault origin: the form that the app posts to enter, and leaving. */
export function createEnterVault({ baseUrl, secure, entries, verifyEntry, countWrong }: Options) {
  const go = (response: ServerResponse, location: string, cookie: string) => {
    response.writeHead(303, { ...originHeaders({ secure }), location, 'set-cookie': cookie, 'content-length': '0' })
    response.end()
  }

  return {
    /** Exchanges a posted entry assertion for the cookie of this origin and opens the vault, at a note if one is named. */
    enter: async ({ request, response, origin }: Visit): Promise<void> => {
      if (request.method !== 'POST') throw fail('method_not_allowed')
      if (request.headers.origin !== baseUrl) throw fail('forbidden', { reason: 'origin' })
      if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
        throw fail('unsupported_media_type')

      const form = new URLSearchParams(await readSmallBody(request, MAX_FORM_BYTES))
      const [assertion, ...more] = form.getAll('assertion')
      if (assertion === undefined || more.length > 0)
        throw fail('invalid_request', [{ path: 'assertion', message: 'must be given once' }])

      const place = {
        path: placeOf(form, 'path', readLinkedPath),
        heading: placeOf(form, 'heading', readLinkedHeading),
      }
      const claims = await verifyEntry(assertion, origin.origin).catch(async (error: unknown) => {
        if (isFailure(error, 'unauthenticated')) await countWrong(request)
        throw error
      })
      if (claims.org !== origin.orgId) throw fail('unauthenticated', { reason: 'assertion_invalid' })
      const secret = await entries.enter(claims)
      const cookie = entryCookie(secret, { secure, maxAgeSeconds: ENTRY_SESSION_MS / 1000 })
      go(response, noteAddress(claims.vault, place), cookie)
    },

    /** Ends the entry session and forgets the cookie. */
    leave: async ({ request, response, origin }: Visit): Promise<void> => {
      if (request.method !== 'POST') throw fail('method_not_allowed')
      if (request.headers.origin !== origin.origin && request.headers.origin !== baseUrl)
        throw fail('forbidden', { reason: 'origin' })
      request.resume()
      const secret = readEntryCookie(request, secure)
      if (secret !== undefined) await entries.leave(secret)
      go(response, baseUrl, entryCookie('', { secure, maxAgeSeconds: 0 }))
    },
  }
}

export type EnterVault = ReturnType<typeof createEnterVault>

type Read = (text: string) => string | undefined

/** The place that the form names. A malformed one is refused, never repaired. */
function placeOf(form: URLSearchParams, name: string, read: Read): string | undefined {
  const given = form.get(name)
  if (given === null) return undefined
  const found = read(given)
  if (found === undefined) throw fail('invalid_request', [{ path: name, message: 'is no place in a vault' }])
  return found
}
