import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { maskRecipient, type MailSender } from './mail.ts'
import type { ShownMail } from './outbox-page.ts'
import type { OutboxRepository } from './outbox.repository.ts'

const LINK_MS = 24 * 3_600_000
const BROWSER_MS = 12 * 3_600_000

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')
const newSecret = () => randomBytes(32).toString('base64url')

export type Outbox = MailSender & {
  /** A link that opens the outbox in one browser, once. */
  mintLink(baseUrl: string): Promise<string>
  /** Consumes a link; returns the secret for that browser's cookie, or undefined. */
  open(linkSecret: string): Promise<string | undefined>
  isOpenFor(browserSecret: string): Promise<boolean>
  list: OutboxRepository['list']
}

/** A mail of the outbox as programs read it. */
export const mailAsJson = ({ recipient, template, subject, link, created_at }: ShownMail) => ({
  to: recipient,
  template,
  subject,
  link,
  sentAt: created_at.toISOString(),
})

/** Mails that are stored in the database instead of sent, for the person at the terminal of the platform. */
export function createOutbox({ outbox, clock, log }: { outbox: OutboxRepository; clock: Clock; log: Log }): Outbox {
  const after = (ms: number) => new Date(clock.now().getTime() + ms)

  return {
    send: async (mail) => {
      await outbox.insert(mail)
      log.info({ template: mail.template, to: maskRecipient(mail.to) }, 'mail put into the outbox')
    },
    mintLink: async (baseUrl) => {
      const secret = newSecret()
      await outbox.insertAccess({ kind: 'link', secretHash: hashOf(secret), expiresAt: after(LINK_MS) })
      return `${baseUrl}/outbox?link=${secret}`
    },
    open: async (linkSecret) => {
      if (!(await outbox.consumeLink(hashOf(linkSecret)))) return undefined
      const secret = newSecret()
      await outbox.insertAccess({ kind: 'browser', secretHash: hashOf(secret), expiresAt: after(BROWSER_MS) })
      return secret
    },
    isOpenFor: async (browserSecret) => (await outbox.findBrowser(hashOf(browserSecret))) !== undefined,
    list: outbox.list,
  }
}
