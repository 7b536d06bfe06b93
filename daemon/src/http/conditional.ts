import { fail } from '@svc/shared/wire/errors.ts'
import type { Expectation } from '../files/expectation.ts'

/** The ETag of a baseline. */
export const etagOf = (baseline: string): string => `"${baseline}"`

/** The baselines named in an If-Match or If-None-Match header; `*` for any. */
export function parseEtags(header: string): '*' | string[] {
  if (header.trim() === '*') return '*'
  return header.split(',').map((part) => {
    const match = /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(part)
    if (!match) throw fail('invalid_request', [{ path: 'if-match', message: 'is not a list of quoted baselines' }])
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
    if (parseEtags(noneMatch) !== '*')
      throw fail('invalid_request', [{ path: 'if-none-match', message: 'takes only * when writing' }])
    return { kind: 'absent' }
  }
  if (match === undefined) return { kind: 'unsaid' }
  const baselines = parseEtags(match)
  return baselines === '*' ? { kind: 'any' } : { kind: 'one_of', baselines }
}

/** True when the caller already has this version. */
export function isNotModified(headers: Conditions, baseline: string): boolean {
  if (headers['if-none-match'] === undefined) return false
  const known = parseEtags(headers['if-none-match'])
  return known === '*' || known.includes(baseline)
}
