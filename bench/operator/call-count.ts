import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { KubeCall } from '@svc/kube/src/kube-client.ts'

/** What the operator has sent and received so far. */
export type CallCounts = {
  connections: number
  bytesIn: number
  bytesOut: number
  /** Calls by verb, without writes of the lease, which belong to no daemon. */
  reads: number
  lists: number
  watches: number
  writes: number
  mostWritesOfOne: number
  /** Responses other than success, by status. */
  refused: Record<string, number>
  /** Writes and reads by method and kind. */
  kinds: Record<string, number>
}

type Options = { apiPort: number; onWrite: (daemon: string | undefined) => void }

/**
 * Counts what goes over the wire: the operator's sockets to the API server with their bytes (inside TLS), and its
 * calls.
 */
export function callCount({ apiPort, onWrite }: Options) {
  const sockets = new Set<Socket>()
  const counts = { connections: 0, bytesIn: 0, bytesOut: 0, reads: 0, lists: 0, watches: 0, writes: 0 }
  const refused: Record<string, number> = {}
  const kinds: Record<string, number> = {}
  const writesOf = new Map<string, number>()

  subscribe('undici:client:connected', (message) => {
    const { socket, connectParams } = message as { socket: Socket; connectParams: { port: string } }
    if (Number(connectParams.port) !== apiPort) return
    counts.connections++
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      counts.bytesIn += socket.bytesRead
      counts.bytesOut += socket.bytesWritten
    })
  })

  const onCall = ({ method, path, query, status }: KubeCall) => {
    const [, plural = '', name, subresource] = /\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?(\/status)?$/.exec(path) ?? []
    if (plural === 'leases') return
    if (status >= 300) refused[status] = (refused[status] ?? 0) + 1
    const listing = method === 'GET' && name === undefined
    const verb = listing ? (query.includes('watch=true') ? 'WATCH' : 'LIST') : method
    const kind = `${verb} ${plural}${subresource ?? ''}${status === 404 ? ' (absent)' : ''}`
    kinds[kind] = (kinds[kind] ?? 0) + 1
    if (verb === 'WATCH') counts.watches++
    else if (verb === 'LIST') counts.lists++
    else if (verb === 'GET') counts.reads++
    else {
      counts.writes++
      const daemon = /^org-[a-z2-7]+/.exec(name ?? '')?.[0]
      if (daemon) writesOf.set(daemon, (writesOf.get(daemon) ?? 0) + 1)
      onWrite(daemon)
    }
  }

  const read = (): CallCounts => {
    const open = [...sockets]
    const sum = (bytes: (socket: Socket) => number) => open.reduce((total, socket) => total + bytes(socket), 0)
    return {
      ...counts,
      bytesIn: counts.bytesIn + sum(({ bytesRead }) => bytesRead),
      bytesOut: counts.bytesOut + sum(({ bytesWritten }) => bytesWritten),
      mostWritesOfOne: Math.max(0, ...writesOf.values()),
      refused: { ...refused },
      kinds: { ...kinds },
    }
  }
  return { onCall, read }
}
