import { expect, it } from 'vitest'
import { GoAway, RelayHello } from './tunnel-hello.ts'

const hello = {
  protocol: 1,
  challenge: 'c',
  issuer: 'https://svc.example',
  orgId: `org_${'a'.repeat(24)}`,
  daemonId: `dmn_${'b'.repeat(24)}`,
  replicaId: 'r',
  connectionId: 'c',
  maxFrameBytes: 65_536,
  maxStreams: 8,
  initialWindow: 65_536,
  heartbeatSeconds: 15,
  keys: [],
}

it.each([
  ['a common hello', {}, true],
  ['the longest heartbeat', { heartbeatSeconds: 3600 }, true],
  ['a heartbeat that no timer holds', { heartbeatSeconds: 2_147_484 }, false],
  ['a window that breaks the protocol', { initialWindow: 2 ** 31 }, false],
])('takes %s of a relay: %j %s', (_what, given, taken) => {
  expect(RelayHello.safeParse({ ...hello, ...given }).success).toBe(taken)
})

it.each([
  [0, true],
  [86_400_000, true],
  [2 ** 31, false],
])('takes a farewell for %i ms: %s', (reconnectAfterMs, taken) => {
  expect(GoAway.safeParse({ reason: 'draining', reconnectAfterMs }).success).toBe(taken)
})
