import { createTransport } from 'nodemailer'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { MailRefused, maskRecipient, type MailSender } from './mail.ts'

/** Covers the greeting, too. `SMTP_URL` may set other limits, for example `?connectionTimeout=30000`. */
const CONNECT_MS = 10_000
/** As long as RFC 5321 gives servers, which look into a mail before they take it. No request waits for that. */
const SILENT_MS = 10 * 60_000

type Failure = { code?: unknown; responseCode?: unknown; timeoutType?: unknown }

/**
 * Sends mails through an SMTP server. A failure is logged with template and masked recipient, then thrown: as
 * `MailRefused` if there must not be another attempt.
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
        const { code, responseCode, timeoutType } = error as Failure
        log.error({ template, to: maskRecipient(to), smtp: code, responseCode }, 'mail was not taken by the server')
        const answer = typeof responseCode === 'number' ? String(responseCode) : String(code)
        // A server that fell silent may have taken the mail, which would arrive twice.
        const isLast = answer.startsWith('5') || timeoutType === 'SOCKET_TIMEOUT'
        throw isLast ? new MailRefused(answer) : new Error(answer)
      }
    },
    close: () => transport.close(),
  }
}
