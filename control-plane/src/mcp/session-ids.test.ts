import { expect, test } from 'vitest'
import { Secret } from '@svc/shared/kit/secret.ts'
import { createSessionIds } from './session-ids.ts'

const owner = { userId: 'usr_a', clientId: 'client' }
const now = new Date('2026-03-01T00:00:00Z')
const random = 'abcdefghijklmnopqrstuv'
const [secret, previous] = [new Secret('a-secret-of-the-tests-that-is-long-enough'), new Secret('y'.repeat(40))]
const ids = createSessionIds({ secret, previous })
const id = ids.mint(owner, { now, random })

test.each<[string, string, typeof owner, Date, boolean]>([
  ['its owner comes back', id, owner, now, true],
  ['its owner comes back at the last moment', id, owner, new Date('2026-03-01T23:59:59Z'), true],
  ['its owner comes back after a day', id, owner, new Date('2026-03-02T00:00:00Z'), false],
  ['another person shows it', id, { ...owner, userId: 'usr_b' }, now, false],
  ['the same person shows it with another client', id, { ...owner, clientId: 'other' }, now, false],
  ['its end was changed', `z${id.slice(1)}`, owner, now, false],
  ['its seal was changed', `${id.slice(0, -2)}AA`, owner, now, false],
  [
    'it was made with another secret',
    createSessionIds({ secret: new Secret('x'.repeat(40)) }).mint(owner, { now, random }),
    owner,
    now,
    false,
  ],
  [
    'it was made with the secret before a change',
    createSessionIds({ secret: previous }).mint(owner, { now, random }),
    owner,
    now,
    true,
  ],
  ['it is no id', '../../etc/passwd', owner, now, false],
])('%s', (_sentence, given, by, at, good) => {
  expect(ids.verify(given, by, at) !== undefined).toBe(good)
})
