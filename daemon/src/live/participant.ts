import type { ServiceError } from '@svc/shared/wire/errors.ts'
import type { DaemonMessage, LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import type { Actor } from '../entry/actor.ts'
import { textFrame } from './text-frame.ts'

/** One connection to a live session. */
export type Participant = {
  id: string
  clientId: string
  actor: Actor
  /** Sends one framed message; drops the connection if too much is unsent. */
  send(frame: Buffer): void
  /** Bytes that are not sent yet. */
  backlog(): number
  isOpen(): boolean
  /** Closes the connection, with the reason if there is one. */
  end(failure?: ServiceError): void
}

/** A message as sent over the wire: encoded and framed once for all recipients. */
export const encodeMessage = (message: DaemonMessage): Buffer => textFrame(JSON.stringify(message))

/** An actor as the others in a session see it. */
export function whoOf(actor: Actor): LiveWho {
  switch (actor.kind) {
    case 'local':
      return { kind: 'local', name: 'This computer' }
    case 'person':
      return { kind: 'person', name: actor.name }
    case 'mcp_client':
      return { kind: 'agent', name: actor.client }
    case 'system':
      return { kind: 'system', name: actor.name }
  }
}

/** Somebody who wrote the file without the daemon. */
export const outsideWho: LiveWho = { kind: 'outside', name: 'Outside edit' }

/**
 * The client of changes that come from the file. It sorts before every other client, so these changes come before text
 * that is typed at the same place.
 */
export const FILE_CLIENT = '-'
