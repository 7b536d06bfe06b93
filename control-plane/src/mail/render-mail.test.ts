import { expect, test } from 'vitest'
import { maskRecipient } from './mail.ts'
import { renderMail } from './render-mail.ts'

const link = 'https://svc.example.net/invitations/inv_x#token=secret'

test('names of people and organizations cannot break out of subject or page', () => {
  const mail = renderMail({
    template: 'invitation',
    to: 'a@example.org',
    link,
    organization: '<b>Acme</b>\r\nBcc: everybody@example.org',
    inviter: `Eve "the <i>" ${'x'.repeat(200)}`,
  })
  expect(mail.subject).not.toMatch(/[\r\n]/)
  expect(mail.subject.length).toBeLessThan(260)
  expect(mail.html).not.toMatch(/<b>|<i>/)
  expect(mail.html).toContain('&lt;b&gt;Acme&lt;/b&gt;')
  expect(mail.text).toContain(link)
})

test('each template carries its link', () => {
  for (const template of ['verify-email', 'magic-link', 'reset-password', 'invitation'] as const)
    expect(renderMail({ template, to: 'a@example.org', link }).html).toContain(link)
})

test('whoever chooses a new password reads what an unconfirmed account loses by it', () => {
  const { text } = renderMail({ template: 'reset-password', to: 'a@example.org', link })
  expect(text).toContain('A new password ends other ways to sign in if this address was never confirmed.')
})

test.each([
  ['ada@example.org', 'a…@example.org'],
  ['@example.org', '…'],
  ['nonsense', '…'],
])('masks %s', (address, masked) => expect(maskRecipient(address)).toBe(masked))
