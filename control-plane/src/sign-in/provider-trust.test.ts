import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { isProvenByGoogle, isProvenByProvider } from './provider-trust.ts'

test.each([
  ['its own mail', { email: 'a@gmail.com', email_verified: true }, true],
  ['a domain that it hosts', { email: 'a@acme.test', email_verified: true, hd: 'acme.test' }, true],
  ['an address elsewhere', { email: 'a@acme.test', email_verified: true }, false],
  ['an address of another hosted domain', { email: 'a@acme.test', email_verified: true, hd: 'evil.test' }, false],
  ['unverified', { email: 'a@gmail.com', email_verified: false }, false],
  ['verified as a text', { email: 'a@gmail.com', email_verified: 'true' }, false],
  ['no address', { email_verified: true }, false],
  ['an address that looks like one of its own', { email: 'a@gmail.com.evil.test', email_verified: true }, false],
])('Google about %s', (_, profile, proven) => expect(isProvenByGoogle(profile)).toBe(proven))

test('another provider is believed about the configured domains alone', () => {
  verifies('security.provider-trust')
  const profile = { email: 'A@Acme.test', email_verified: true }
  expect(isProvenByProvider(profile, ['acme.test'])).toBe(true)
  expect(isProvenByProvider(profile, ['other.test'])).toBe(false)
  expect(isProvenByProvider(profile, [])).toBe(false)
})
