import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { verifies } from '../../test/requirements.ts'
import { readConfig } from './config.ts'

const least = {
  BASE_URL: 'http://localhost:7380',
  DATABASE_URL: 'postgres://localhost/svc',
  AUTH_SECRET: 'x'.repeat(32),
}
const real = {
  ...least,
  BASE_URL: 'https://svc.example.net',
  VAULT_ORIGIN_TEMPLATE: 'https://{label}.vaults.example.net',
  SMTP_URL: 'smtp://mail.example.net',
}
const problemsOf = (env: Record<string, string>): string[] => {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.map(({ path }) => path)
    throw error
  }
  return []
}

describe('what starts', () => {
  test('on loopback, three variables are enough; vaults get names of this machine', () => {
    expect(readConfig(least)).toMatchObject({
      baseUrl: 'http://localhost:7380',
      vaultOriginTemplate: 'http://{label}.localhost:7380',
      environment: 'production',
      role: 'all',
      relayUrl: 'http://localhost:7380',
      managedDaemons: { relayUrl: 'http://localhost:7380' },
    })
  })

  test.each([
    ['http://10.0.0.1:7392', 'http://10.0.0.1:7392'],
    // Kubernetes writes the address of a pod without brackets.
    ['http://fd00::1:7392', 'http://[fd00::1]:7392'],
    ['http://[fd00::1]:7392', 'http://[fd00::1]:7392'],
    ['http://replica:7392', 'http://replica:7392'],
  ])('other replicas reach this one at %s', (given, url) => {
    verifies('chart.ipv6')
    expect(readConfig({ ...least, INTERNAL_URL: given }).listeners.internal.url).toBe(url)
  })

  test('an IPv6 address of the internal listener needs no address of its own', () => {
    verifies('chart.ipv6')
    expect(readConfig({ ...least, INTERNAL_HOST: '::1' }).listeners.internal.url).toBe('http://[::1]:7392')
  })

  test('secrets print as stars', () => {
    const text = JSON.stringify(readConfig({ ...real, PROVISIONING_CODE: 'open sesame' }))
    for (const secret of ['x'.repeat(32), 'open sesame', 'postgres://']) expect(text).not.toContain(secret)
  })
})

describe('what is refused, all at once', () => {
  const cases: [string, Record<string, string>, string[]][] = [
    ['nothing at all', {}, ['BASE_URL', 'DATABASE_URL', 'AUTH_SECRET']],
    [
      'a real address without vault origins and mail',
      { ...least, BASE_URL: 'https://svc.example.net' },
      ['VAULT_ORIGIN_TEMPLATE', 'SMTP_URL'],
    ],
    ['a real address without TLS', { ...real, BASE_URL: 'http://svc.example.net' }, ['BASE_URL']],
    ['a relay without TLS', { ...real, RELAY_URL: 'http://relay.example.net' }, ['RELAY_URL']],
    ['a base URL with a path', { ...least, BASE_URL: 'http://localhost:7380/svc' }, ['BASE_URL']],
    [
      'a template without {label} first',
      { ...real, VAULT_ORIGIN_TEMPLATE: 'https://vaults.example.net' },
      ['VAULT_ORIGIN_TEMPLATE'],
    ],
    [
      'a template with a path',
      { ...real, VAULT_ORIGIN_TEMPLATE: 'https://{label}.example.net/x' },
      ['VAULT_ORIGIN_TEMPLATE'],
    ],
    ['a short secret', { ...least, AUTH_SECRET: 'short' }, ['AUTH_SECRET']],
    ['a short token', { ...least, MANAGED_DAEMON_ADMIN_TOKEN: 'short' }, ['MANAGED_DAEMON_ADMIN_TOKEN']],
    [
      'three tokens',
      { ...least, MANAGED_DAEMON_ADMIN_TOKEN: ['a', 'b', 'c'].map((c) => c.repeat(32)).join() },
      ['MANAGED_DAEMON_ADMIN_TOKEN'],
    ],
    ['half of a provider', { ...least, GOOGLE_CLIENT_ID: 'id' }, ['GOOGLE_CLIENT_SECRET']],
    ['a provider without client', { ...least, OIDC_ISSUER: 'https://id.example.net' }, ['OIDC_CLIENT_ID']],
    ['an image outside of any repository', { ...least, DEFAULT_DAEMON_IMAGE: 'svcd:1' }, ['DAEMON_IMAGE_REPOSITORY']],
    [
      'a tag that no registry is asked for',
      {
        ...least,
        DAEMON_IMAGE_REPOSITORY: 'r.example.net/svcd',
        DEFAULT_DAEMON_IMAGE: 'r.example.net/svcd:1',
        IMAGE_REGISTRY_URL: 'none',
      },
      ['DEFAULT_DAEMON_IMAGE'],
    ],
    ['a registry by its path', { ...least, IMAGE_REGISTRY_URL: 'https://r.example.net/v2' }, ['IMAGE_REGISTRY_URL']],
    ['an operator organization that is no id', { ...least, OPERATOR_ORG: 'admins' }, ['OPERATOR_ORG']],
  ]
  test.each(cases)('%s', (_, env, paths) => {
    verifies('security.template-required', 'security.admin-token')
    expect(problemsOf(env)).toEqual(paths)
  })
})
