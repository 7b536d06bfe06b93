import { createTransport } from 'nodemailer'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { maskRecipient, type MailSender } from './mail.ts'

/** Sends mails through an SMTP server. A failure is logged with template and masked recipient, then thrown. */
export function smtpSender({
  url,
  from,
  log,
}: {
  url: Secret
  from: string
  log: Log
}): MailSender & { close(): void } {
  const transport = createTransport(url.reveal(), { from })
  return {
    send: async ({ to, template, subject, text, html }) => {
      try {
        await transport.sendMail({ to, subject, text, html })
        log.info({ template, to: maskRecipient(to) }, 'mail sent')
      } catch (error) {
        // The server's response may quote the mail, so only its code is kept.
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        log.error({ template, to: maskRecipient(to), smtp: code }, 'mail was not taken by the server')
        throw error
      }
    },
    close: () => transport.close(),
  }
}
