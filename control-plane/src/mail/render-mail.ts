import { escapeHtml } from '../pages/escape-html.ts'
import type { Mail, MailTemplate } from './mail.ts'
import { isSecurityNotice, securityNotice, type SecurityNotice } from './security-notices.ts'

type Content = { template: MailTemplate; to: string; link: string; organization?: string; inviter?: string }

type Words = { subject: string; lead: string; action: string; note: string }

const words: Record<Exclude<MailTemplate, SecurityNotice>, (content: Content) => Words> = {
  'verify-email': () => ({
    subject: 'Confirm your e-mail address',
    lead: 'Confirm that this address is yours, so that you can accept invitations.',
    action: 'Confirm address',
    note: 'The link works for one hour, when you are signed in. If you did not sign up, ignore this mail.',
  }),
  'confirm-sign-up': () => ({
    subject: 'Confirm your e-mail address',
    lead: 'Confirm that this address is yours. That makes your account and signs you in.',
    action: 'Confirm address',
    note: 'The link works once, within a day. If you did not sign up, ignore this mail: without the link there is no account.',
  }),
  'account-exists': () => ({
    subject: 'You have an account already',
    lead: 'Somebody tried to sign up with this address, which has an account already. Nothing was changed.',
    action: 'Sign in',
    note: 'Without your password, sign in by a mailed link or choose a new password. If it was not you, ignore this mail.',
  }),
  'magic-link': () => ({
    subject: 'Your sign-in link',
    lead: 'Use this link to sign in.',
    action: 'Sign in',
    note: 'The link works once, within ten minutes. If you did not ask for it, ignore this mail.',
  }),
  'reset-password': () => ({
    subject: 'Choose a new password',
    lead: 'Somebody asked for a new password for this address.',
    action: 'Choose a new password',
    note: 'The link works once, within one hour. A new password ends other ways to sign in if this address was never confirmed. If it was not you, ignore this mail: your password stays as it is.',
  }),
  'change-email': () => ({
    subject: 'Confirm your new e-mail address',
    lead: 'Somebody wants to use this address for their svc account.',
    action: 'Confirm the new address',
    note: 'The link works once, within one hour, when you are signed in. If it was not you, ignore this mail: nothing changes.',
  }),
  'email-changed': () => ({
    subject: 'The e-mail address of your account was changed',
    lead: 'Your svc account has another e-mail address now, and every session was ended. If you did that, there is nothing to do.',
    action: 'This was not me: undo it',
    note: 'The link works once, within seven days. It gives the account its old address back and ends every session, the password, and passkeys and other ways to sign in that were added since. Then choose a new password and look at your passkeys.',
  }),
  'address-taken': () => ({
    subject: 'You have an account already',
    lead: 'Somebody wanted to use this address for another account. It has an account already, so nothing was changed.',
    action: 'Sign in',
    note: 'If it was not you, ignore this mail.',
  }),
  'account-deleted': () => ({
    subject: 'Your account was deleted',
    lead: 'Your svc account was deleted, and every session was ended. Notes that you wrote stay in their vaults.',
    action: 'Go to svc',
    note: 'If it was not you, ask an admin of your organization, who can invite you again.',
  }),
  invitation: ({ organization = '', inviter = '' }) => ({
    subject: `${inviter} invites you to ${organization}`,
    lead: `${inviter} invites you to join ${organization}.`,
    action: 'Look at the invitation',
    note: 'The link works once, within seven days, for this e-mail address.',
  }),
}

const wordsOf = (content: Content): Words => {
  const { template } = content
  if (!isSecurityNotice(template)) return words[template](content)
  return {
    ...securityNotice(template),
    action: 'Look at your account',
    note: 'If it was not you, choose a new password now: that ends every session. Then look at your passkeys.',
  }
}

/** Renders a mail. Names come from people, so they are cut to one line and escaped. */
export function renderMail(content: Content): Mail {
  const clean = { ...content, organization: oneLine(content.organization), inviter: oneLine(content.inviter) }
  const { subject, lead, action, note } = wordsOf(clean)
  const { to, template, link } = content
  return {
    to,
    template,
    link,
    subject,
    text: `${lead}\n\n${link}\n\n${note}\n`,
    html: [
      '<!doctype html><html lang="en"><body style="font: 16px/1.5 system-ui, sans-serif; color: #1f2328">',
      `<p>${escapeHtml(lead)}</p>`,
      `<p><a href="${escapeHtml(link)}" style="display: inline-block; padding: 10px 16px; border-radius: 6px; background: #1f2328; color: #fff; text-decoration: none">${escapeHtml(action)}</a></p>`,
      `<p style="color: #59636e">${escapeHtml(note)}</p>`,
      '</body></html>',
    ].join('\n'),
  }
}

const oneLine = (text = '') =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 100)
