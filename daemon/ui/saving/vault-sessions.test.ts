import { afterEach, expect, test, vi } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { DaemonClient } from '../api/daemon-client.ts'
import type { Unsent } from '../live/live-text.ts'
import type { KeptTexts, Lease } from './kept-texts.ts'
import { vaultSessions } from './vault-sessions.ts'

afterEach(() => vi.unstubAllGlobals())

const client: Unsent = {
  clientId: 'closed-tab',
  epoch: 'e',
  version: 0,
  acked: 0,
  confirmed: 'one',
  pending: [[3, [0, ' two']]],
}

test('text that a closed tab has left is sent and counts as unsaved, although this tab has its note open', async () => {
  // A host that does not answer.
  const sockets: string[] = []
  vi.stubGlobal('window', { location: new URL('http://127.0.0.1:1') })
  vi.stubGlobal(
    'WebSocket',
    class extends EventTarget {
      constructor(url: string) {
        super()
        sockets.push(url)
      }
      close() {}
    },
  )
  const ref = { vaultId: 'v', path: 'open.md' }
  const lease: Lease = { client, keep: async () => true, end: () => {} }
  const leases = [lease]
  const kept = { paths: async () => [ref.path], takeOver: async () => leases.pop() } as unknown as KeptTexts
  const sessions = vaultSessions({ client: {} as DaemonClient, kept, vaultId: 'v' })
  const note = { path: ref.path, content: 'one', baseline: 'b', properties: {} }
  sessions.enter(sessions.open(ref, note as never, undefined))

  const sent = sessions.sendLeft()
  await until('it is on its way', async () => sockets.length > 0)
  await sessions.takeOver(ref)
  await sent
  expect(sessions.unsaved()).toEqual([ref.path])
})

test('text that the host does not take is sent again only after a change of the vault or at the wish of the person', async () => {
  // A host where the note does not exist any more.
  let connections = 0
  vi.stubGlobal('window', { location: new URL('http://127.0.0.1:1') })
  vi.stubGlobal(
    'WebSocket',
    class extends EventTarget {
      constructor() {
        super()
        connections++
        setTimeout(() => this.dispatchEvent(new CloseEvent('close', { code: 4404, reason: 'not_found' })))
      }
      close() {}
    },
  )
  const kept = {
    paths: async () => ['gone.md'],
    takeOver: async (): Promise<Lease> => ({ client, keep: async () => true, end: () => {} }),
  } as unknown as KeptTexts
  const sessions = vaultSessions({ client: {} as DaemonClient, kept, vaultId: 'v' })
  const attempts: number[] = []
  const sendTwice = async () => {
    for (let nth = 0; nth < 2; nth++) {
      await sessions.sendLeft()
      attempts.push(connections)
      expect(sessions.unsaved()).toEqual(['gone.md'])
    }
  }
  await sendTwice()
  sessions.recheckShown()
  await sendTwice()
  sessions.retry()
  await sendTwice()
  expect(attempts).toEqual([1, 1, 2, 2, 3, 3])
})
