import { randomBytes } from 'node:crypto'
import type { ChangeEvent } from '@svc/shared/wire/daemon/daemon.api.ts'

/** A change with its position in the stream. */
export type NumberedChange = { id: string; change: ChangeEvent }

/** The events of a vault, in order, for listeners. */
export type ChangeStream = {
  publish(change: ChangeEvent): void
  /** Calls back for each later change, and once when the vault is closed; returns the function that stops it. */
  subscribe(change: (change: NumberedChange) => void, end?: () => void): () => void
  /** Notifies every listener that the vault is closed. */
  end(): void
  /**
   * The changes after an id, or undefined when some are no longer remembered: the listener must read everything again.
   */
  since(id: string): NumberedChange[] | undefined
  /** The id of the newest change. */
  lastId(): string
}

const REMEMBERED = 1000

/** A new stream. Ids contain a random part, so that those of an earlier process are recognized as foreign. */
export function createChangeStream(): ChangeStream {
  const life = randomBytes(6).toString('hex')
  const recent: NumberedChange[] = []
  const listeners = new Set<{ change: (change: NumberedChange) => void; end: () => void }>()
  let count = 0

  return {
    publish(change) {
      count++
      const numbered = { id: `${life}-${count}`, change }
      recent.push(numbered)
      if (recent.length > REMEMBERED) recent.shift()
      for (const listener of listeners) listener.change(numbered)
    },
    subscribe(change, end = () => {}) {
      const listener = { change, end }
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    end() {
      for (const listener of listeners) listener.end()
      listeners.clear()
    },
    since(id) {
      const [itsLife, number] = id.split('-')
      const seen = Number(number)
      const oldest = count - recent.length
      if (itsLife !== life || !Number.isInteger(seen) || seen < oldest || seen > count) return undefined
      return recent.slice(seen - oldest)
    },
    lastId: () => `${life}-${count}`,
  }
}
