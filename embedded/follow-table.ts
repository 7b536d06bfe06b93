import type pg from 'pg'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonEvent } from '@svc/shared/wire/managed-daemon-store.ts'

type Options = {
  pool: pg.Pool
  clock: Clock
  log: Log
  channel: string
  list: () => Promise<ManagedDaemon[]>
  onEvent: (event: ManagedDaemonEvent) => void
}

const POLL_MS = 2_000

/**
 * Reports changes of the table to a listener. Compares two listings; an announcement only makes the next listing come
 * at once, so a lost one costs two seconds. Returns the function that stops it.
 */
export function followTable({ pool, clock, log, channel, list, onEvent }: Options): () => void {
  const stop = new AbortController()
  const known = new Map<string, ManagedDaemon>()
  let synced = false
  let wake = new AbortController()
  let announced = false

  const tell = (event: ManagedDaemonEvent) => {
    try {
      onEvent(event)
    } catch (error) {
      log.error({ err: error }, 'a watcher of managed daemons failed')
    }
  }

  const compare = async () => {
    const daemons = await list()
    if (stop.signal.aborted) return
    for (const daemon of daemons) {
      const before = known.get(daemon.name)
      known.set(daemon.name, daemon)
      if (before && before.uid !== daemon.uid) tell({ type: 'removed', name: before.name, uid: before.uid })
      if (before?.resourceVersion !== daemon.resourceVersion) tell({ type: 'upserted', daemon })
    }
    const names = new Set(daemons.map(({ name }) => name))
    for (const { name, uid } of [...known.values()].filter(({ name }) => !names.has(name))) {
      known.delete(name)
      tell({ type: 'removed', name, uid })
    }
    if (!synced) tell({ type: 'synced' })
    synced = true
  }

  const announce = () => {
    announced = true
    wake.abort()
  }

  const follow = async () => {
    let listener: Listener | undefined
    while (!stop.signal.aborted) {
      try {
        listener ??= await listen(pool, channel, announce, () => (listener = undefined))
        announced = false
        await compare()
      } catch (error) {
        log.warn({ err: error }, 'the table of managed daemons was not read')
      }
      wake = new AbortController()
      if (!announced) await clock.sleep(POLL_MS, AbortSignal.any([wake.signal, stop.signal])).catch(() => {})
    }
    listener?.close()
  }

  void follow()
  return () => stop.abort()
}

type Listener = { close(): void }

async function listen(pool: pg.Pool, channel: string, announce: () => void, lost: () => void): Promise<Listener> {
  const client = await pool.connect()
  let closed = false
  // A connection that listens or is broken is useless to others: remove it from the pool.
  const close = () => {
    if (!closed) client.release(true)
    closed = true
  }
  client.on('notification', announce)
  client.on('error', () => {
    lost()
    close()
  })
  try {
    await client.query(`listen ${channel}`)
  } catch (error) {
    close()
    throw error
  }
  return { close }
}
