import { createTransport } from 'nodemailer'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { MailRefused, maskRecipient, type MailSender } from './mail.ts'

/** Covers the greeting, too. `SMTP_URL` may set other limits, for example `?connectionTimeout=30000`. */
const CONNECT_MS = 10_000
/** Longer, because servers look into a mail before they take it: one that is cut off may arrive twice. */
const SILENT_MS = 30_000

/**
 * Sends mails through an SMTP server. A failure is logged with template and masked recipient, then thrown: as
 * `MailRefused` if another attempt is useless.
 */
export function smtpSender({
  url,
  from,
  log,
}: {
  url: Secret
  from: string
  log: Log
}): MailSender & { close(): void } {
  const limits = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SILENT_MS }
  const transport = createTransport({ url: url.reveal(), ...limits }, { from })
  return {
    send: async ({ to, template, subject, text, html }) => {
      try {
        await transport.sendMail({ to, subject, text, html })
        log.info({ template, to: maskRecipient(to) }, 'mail sent')
      } catch (error) {
        // The server's response may quote the mail, so only its code is kept.
        const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
        log.error({ template, to: maskRecipient(to), smtp: code, responseCode }, 'mail was not taken by the server')
        const answer = typeof responseCode === 'number' ? String(responseCode) : String(code)
        throw answer.startsWith('5') ? new MailRefused(answer) : new Error(answer)
      }
    },
    close: () => transport.close(),
  }
}
