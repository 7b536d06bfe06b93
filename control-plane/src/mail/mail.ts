import type { SecurityNotice } from './security-notices.ts'

/** What a mail is about; logs name it instead of its content. */
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

/** One mail, rendered. `link` is the one address that it exists to carry: it is a secret. */
export type Mail = {
  to: string
  template: MailTemplate
  subject: string
  text: string
  html: string
  link: string
}

/** Where mails go: an SMTP server, or the outbox of the embedded platform. */
export type MailSender = { send(mail: Mail): Promise<void> }

/** The recipient for logs: first letter and domain. */
export function maskRecipient(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 1 ? '…' : `${address.slice(0, 1)}…${address.slice(at)}`
}
