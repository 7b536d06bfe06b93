import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { initialDialState, nextDialState, relayStatus, type DialEvent, type DialState } from './dial-state.ts'

const follow = (events: DialEvent[], from: DialState = initialDialState) => events.reduce(nextDialState, from)
const lost = (atMs: number, random = 1): DialEvent => ({ type: 'lost', atMs, random })

describe('a slot of the daemon', () => {
  it('waits a random time that doubles with each failure, the first included', () => {
    const failures: DialEvent[] = [{ type: 'dial' }, lost(0)]
    expect(follow(failures)).toEqual({ state: 'waiting', attempt: 1, delayMs: 1_000 })
    expect(follow([...failures, ...failures])).toMatchObject({ attempt: 2, delayMs: 2_000 })
    expect(follow(Array.from({ length: 20 }, () => failures).flat())).toMatchObject({ delayMs: 30_000 })
    expect(follow([{ type: 'dial' }, lost(0, 0)])).toMatchObject({ delayMs: 0 })
  })

  it('begins anew only after a tunnel that lasted a minute', () => {
    const up: DialEvent[] = [{ type: 'dial' }, { type: 'opened', atMs: 0 }]
    const tired: DialState = { state: 'waiting', attempt: 5, delayMs: 0 }
    expect(follow([...up, lost(59_999)], tired)).toMatchObject({ attempt: 6 })
    expect(follow([...up, lost(60_000)], tired)).toMatchObject({ attempt: 1, delayMs: 1_000 })
  })

  it('obeys the time that the relay names, which is no failure', () => {
    const event: DialEvent = { type: 'lost', atMs: 0, random: 1, hintMs: 7_000 }
    expect(follow([{ type: 'dial' }, event])).toEqual({ state: 'waiting', attempt: 0, delayMs: 7_000 })
  })

  it('stays stopped', () => {
    expect(follow([{ type: 'stop' }, { type: 'dial' }, { type: 'opened', atMs: 0 }])).toEqual({ state: 'stopped' })
  })
})

it.each<[string, DialState[], [boolean, boolean, boolean]]>([
  ['nothing', [], [false, false, false]],
  ['dialing', [{ state: 'dialing', attempt: 0 }], [true, false, false]],
  ['connected', [{ state: 'connected', attempt: 0, sinceMs: 0 }], [true, true, false]],
  ['waiting', [{ state: 'waiting', attempt: 1, delayMs: 5 }], [true, false, true]],
  [
    'one of two up',
    [
      { state: 'connected', attempt: 0, sinceMs: 0 },
      { state: 'waiting', attempt: 1, delayMs: 5 },
    ],
    [true, true, true],
  ],
  ['stopped', [{ state: 'stopped' }], [false, false, false]],
])('reports %s as four booleans', (_what, slots, [started, controlConnected, reconnectScheduled]) => {
  verifies('relay.status')
  expect(relayStatus(true, slots)).toEqual({ configured: true, started, controlConnected, reconnectScheduled })
})
