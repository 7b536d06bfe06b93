import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { vaultPagePolicy } from '@svc/shared/wire/vault-page-policy.ts'
import { attachmentContentSecurityPolicy, securityHeaders } from './security-headers.ts'

test('no policy lets a page load from another host', () => {
  verifies('security.no-beacon')
  const policies = [vaultPagePolicy, attachmentContentSecurityPolicy, securityHeaders['content-security-policy']!]
  const sources = policies.flatMap((policy) =>
    policy.split(';').flatMap((directive) => directive.trim().split(/\s+/).slice(1)),
  )
  const own = ["'self'", "'none'", 'data:', 'blob:', "'unsafe-inline'"]
  expect(sources.filter((source) => !own.includes(source))).toEqual([])
  expect(policies.every((policy) => policy.includes('default-src'))).toBe(true)
})
