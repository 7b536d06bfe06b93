import { fail } from '@svc/shared/wire/errors.ts'
import type { Expectation } from '../files/expectation.ts'

/** The ETag of a baseline. */
export const etagOf = (baseline: string): string => `"${baseline}"`

type Baselines = '*' | string[]

/** The baselines named in an If-Match or If-None-Match header; `*` for any. */
export function parseEtags(header: string, name: keyof Conditions = 'if-match'): Baselines {
  if (header.trim() === '*') return '*'
  return header.split(',').map((part) => {
    const match = /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(part)
    if (!match) throw fail('invalid_request', [{ path: name, message: 'is not a list of quoted baselines' }])
    return match[1]!
  })
}

type Conditions = { 'if-match'?: string | undefined; 'if-none-match'?: string | undefined }

/** The state that a writing request expects. */
export function expectationOf(headers: Conditions): Expectation {
  const [match, noneMatch] = [headers['if-match'], headers['if-none-match']]
  if (match !== undefined && noneMatch !== undefined)
    throw fail('invalid_request', [{ path: 'if-none-match', message: 'cannot be sent together with if-match' }])
  if (noneMatch !== undefined) {
    if (parseEtags(noneMatch, 'if-none-match') !== '*')
      throw fail('invalid_request', [{ path: 'if-none-match', message: 'takes only * when writing' }])
    return { kind: 'absent' }
  }
  if (match === undefined) return { kind: 'unsaid' }
  const baselines = parseEtags(match)
  return baselines === '*' ? { kind: 'any' } : { kind: 'one_of', baselines }
}

/**
 * The baselines that a reading caller already has. Fails for a header that cannot be read, so call it before anything is
 * opened.
 */
export function knownBaselines(headers: Conditions): Baselines {
  const noneMatch = headers['if-none-match']
  return noneMatch === undefined ? [] : parseEtags(noneMatch, 'if-none-match')
}

/** True when the caller already has this version. */
export const isNotModified = (known: Baselines, baseline: string): boolean => known === '*' || known.includes(baseline)
