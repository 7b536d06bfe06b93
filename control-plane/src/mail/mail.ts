import type { SecurityNotice } from './security-notices.ts'

/** The subject of a mail; logs name it instead of the content. */
export type MailTemplate =
  | 'verify-email'
  | 'confirm-sign-up'
  | 'account-exists'
  | 'magic-link'
  | 'reset-password'
  | 'change-email'
  | 'email-changed'
  | 'address-taken'
  | 'account-deleted'
  | 'invitation'
  | SecurityNotice

/** One rendered mail. `link` is the one URL that it carries, which is a secret. */
export type Mail = {
  to: string
  template: MailTemplate
  subject: string
  text: string
  html: string
  link: string
} & Waiting

/** What ends the wait for another attempt. Notices about security have neither: they are of use at any time. */
export type Waiting = {
  /** When the link ends. */
  expiresAt?: Date | undefined
  /** A newer mail of the same key has ended the link of this one. */
  replaces?: string | undefined
}

/** Where mails are sent: an SMTP server, or the outbox of the embedded platform. */
export type MailSender = {
  /** Throws `MailRefused` if the mail must not be sent again, and anything else if it may be taken later. */
  send(mail: Mail): Promise<void>
}

/** The mail server refused a mail for good, or fell silent and may have taken it. The message is the code. */
export class MailRefused extends Error {}

/** The recipient for logs: first letter and domain. */
export function maskRecipient(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 1 ? '…' : `${address.slice(0, 1)}…${address.slice(at)}`
}
