import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'

const TOKEN = 'image-token-of-the-tests-0123456789abcdef'
let cp: TestControlPlane
beforeAll(async () => {
  const environment = { MANAGED_DAEMON_ADMIN_TOKEN: TOKEN, TRUSTED_PROXIES: '127.0.0.1,::1' }
  // The limits count in one window of time, however long the requests take.
  cp = await startControlPlane({ environment, clock: { ...systemClock, monotonic: () => 0 } })
})
afterAll(() => cp?.stop())

const send = (token: string, from: string) =>
  cp.raw('POST', `/api/admin/managed-daemons/${newId('org_')}/image`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-forwarded-for': from },
    body: '{}',
  })

test('an address may try ten wrong tokens a minute; the right one is let in from everywhere all the time', async () => {
  verifies('security.token-guesses')
  const codes: string[] = []
  for (let i = 0; i < 40; i += 1) codes.push((await send(`wrong-${i}`, '198.51.100.7')).body.error.code)
  expect(codes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'unauthenticated'))
  expect(new Set(codes.slice(10))).toEqual(new Set(['too_many_requests']))
  const refused = await send('wrong', '198.51.100.7')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)

  expect((await send(TOKEN, '198.51.100.7')).body.error.code).toBe('invalid_request')
  expect((await send('wrong', '203.0.113.9')).body.error.code).toBe('unauthenticated')
})
