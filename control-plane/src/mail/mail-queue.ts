import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { endsWithin } from '@svc/shared/kit/within.ts'
import { MailRefused, type Mail, type MailSender } from './mail.ts'

type Deps = { mail: MailSender; clock: Pick<Clock, 'sleep' | 'now'>; log: Log }

/** The waits before each further attempt. Most links in mails are valid for at least an hour. */
const WAITS_MS = [5_000, 30_000, 120_000, 600_000]
/** While a mail server is away, only so many mails wait for it. Each takes a few kilobytes. */
const WAITING_AT_MOST = 5_000
/** The end of the process has other parts to close, and does not wait longer for a mail server. */
const CLOSE_MS = 10_000

export type MailQueue = ReturnType<typeof createMailQueue>

/**
 * Sends mails in the background. A request does not wait for its mail, so that its time does not reveal whether there
 * is one. A mail that the server did not take is sent again later, unless it must not be. Mails wait in memory: those
 * that still wait at the end of the process are sent once more then, and lost if that fails. People can ask for most of
 * them again, but not for the link that undoes a change of address.
 */
export function createMailQueue({ mail, clock, log }: Deps) {
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()
  /** The newest mail of each key. */
  const newest = new Map<string, Mail>()
  let waiting = 0

  const isReplaced = (letter: Mail) => letter.replaces !== undefined && newest.get(letter.replaces) !== letter
  const isDeadAfter = ({ expiresAt }: Mail, ms: number) =>
    expiresAt !== undefined && clock.now().getTime() + ms >= expiresAt.getTime()

  /** False when the mail is given up. The end of the process ends the wait. */
  const waitBefore = async (attempt: number, letter: Mail): Promise<boolean> => {
    const ms = WAITS_MS[attempt]
    if (ms === undefined || closing.signal.aborted || waiting >= WAITING_AT_MOST) return false
    if (isDeadAfter(letter, ms)) return false
    waiting += 1
    await clock.sleep(ms, closing.signal).catch(() => {})
    waiting -= 1
    return true
  }

  const deliver = async (letter: Mail): Promise<void> => {
    const { template } = letter
    for (let attempt = 0; !isReplaced(letter); attempt += 1)
      try {
        return await mail.send(letter)
      } catch (error) {
        if (!(error instanceof MailRefused) && (await waitBefore(attempt, letter))) continue
        // The sender has logged why, and the recipient.
        return log.error({ err: error, template, attempts: attempt + 1 }, 'a mail was not sent')
      }
    log.info({ template }, 'a mail was not sent again: a newer one replaces it')
  }

  return {
    send: (letter: Mail): void => {
      const { replaces } = letter
      if (replaces !== undefined) newest.set(replaces, letter)
      const sent = deliver(letter).finally(() => {
        underWay.delete(sent)
        if (replaces !== undefined && !isReplaced(letter)) newest.delete(replaces)
      })
      underWay.add(sent)
    },

    /** Sends the mails that wait for another attempt once more, and waits for those being sent, but not long. */
    close: async (): Promise<void> => {
      closing.abort()
      if (!(await endsWithin(Promise.all(underWay), { ms: CLOSE_MS, clock })))
        log.warn({ mails: underWay.size }, 'the mail server did not answer before the end of the process')
    },
  }
}
