import { expect, test } from 'vitest'
import { isPublicMailDomain, mailDomain } from './public-mail-domains.ts'

test.each(['gmail.com', 'outlook.com', 'proton.me', 'qq.com', 'localhost'])('%s says nothing of an organization', (d) =>
  expect(isPublicMailDomain(d)).toBe(true),
)

test('a domain of its own does', () => {
  expect(isPublicMailDomain(mailDomain('Ada@ACME.example'))).toBe(false)
  expect(mailDomain('"odd@local"@acme.example')).toBe('acme.example')
})
