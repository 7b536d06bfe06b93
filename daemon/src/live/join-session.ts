import { setImmediate, setTimeout } from 'node:timers/promises'
import { liveLimits, type ClientMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { updatesMessage } from './audience.ts'
import type { LiveSession } from './live-session.ts'
import { encodeMessage, type Participant } from './participant.ts'
import type { Receipts } from './log/receipts.ts'

type Joining = {
  session: LiveSession
  participant: Participant
  hello: Extract<ClientMessage, { type: 'hello' }>
  receipts: Receipts
}

/**
 * Admits a participant: a returning one gets the updates that it missed, any other the whole text. Returns whether it
 * already has the text; otherwise the participant reports that itself. Fails with `forbidden` for the client of another
 * person, whose page would take what this one types for its own words.
 */
export async function joinSession({ session, participant, hello, receipts }: Joining): Promise<boolean> {
  if (!receipts.claim(hello.clientId, participant.actor)) throw fail('forbidden')
  let document = await session.whenLogged()
  // An update that became durable in this very turn is already in the text, and must not be sent after it.
  while (session.hasPending) document = await session.whenLogged()
  session.audience.flushUpdates()
  const missed =
    hello.epoch === session.epoch && hello.version !== undefined ? document.since(hello.version) : undefined
  const { version } = document
  const text = missed ? '' : document.text
  const parts = Math.ceil(text.length / liveLimits.textPart)

  session.audience.add(participant)
  participant.send(
    encodeMessage({
      type: 'welcome',
      you: participant.id,
      epoch: session.epoch,
      version,
      path: session.path,
      accepted: receipts.accepted(hello.clientId),
      resumed: missed !== undefined,
      parts,
      durable: session.saves.last,
    }),
  )
  if (missed && missed.length > 0) participant.send(encodeMessage(updatesMessage(hello.version!, missed)))
  if (session.saves.failure) participant.send(encodeMessage(session.saves.failure))
  if (missed) return true
  void sendText(participant, text, parts)
  return false
}

/** Sends a large text as fast as it is read, and leaves room for what others type meanwhile. */
async function sendText(participant: Participant, text: string, parts: number): Promise<void> {
  for (let part = 0; part < parts && participant.isOpen(); part++) {
    while (participant.isOpen() && participant.backlog() > liveLimits.maxBacklogBytes / 4) await setTimeout(10)
    const start = part * liveLimits.textPart
    participant.send(encodeMessage({ type: 'text', part: text.slice(start, start + liveLimits.textPart) }))
    await setImmediate()
  }
}
