import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../../test/requirements.ts'
import { readConfig } from './config.ts'

const URL = 'https://svc.example/t/org_aaaaaaaaaaaaaaaaaaaaaaaa'
const problems = (env: Record<string, string>): string => {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('defaults', () => {
  verifies('config.defaults')
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 7382,
    home: join(homedir(), '.svc'),
    relay: undefined,
    listen: 'tcp',
    maxAttachmentBytes: 1024 * 1024 * 1024,
  })
})

test.each<[Record<string, string>, RegExp]>([
  [{ SVC_RELAY_URL: URL }, /^SVC_RELAY_TOKEN: is missing/],
  [{ SVC_RELAY_TOKEN: 'k' }, /^SVC_RELAY_URL: is missing.*SVC_RELAY_TOKEN$/],
  [{ SVC_RELAY_TOKEN_FILE: '/x' }, /^SVC_RELAY_URL: is missing.*SVC_RELAY_TOKEN_FILE$/],
  [{ SVC_RELAY_URL: URL, SVC_RELAY_TOKEN: 'k', SVC_RELAY_TOKEN_FILE: '/x' }, /together with SVC_RELAY_TOKEN: keep one/],
  [{ SVC_RELAY_URL: 'https://svc.example/t/nope', SVC_RELAY_TOKEN: 'k' }, /\{base_url\}\/t\/<org-id>/],
  [{ SVC_RELAY_URL: URL.replace('https', 'http'), SVC_RELAY_TOKEN: 'k' }, /must be https/],
  [{ SVC_HOST: '0.0.0.0' }, /SVC_ALLOW_NON_LOOPBACK=1[\s\S]*SVC_ALLOWED_HOSTS: is missing/],
  [{ SVC_HOST: '0.0.0.0', SVC_ALLOW_NON_LOOPBACK: '1', SVC_ALLOWED_HOSTS: '*' }, /exact host names/],
  [{ SVC_PORT: 'x', SVC_LOG_LEVEL: 'loud' }, /SVC_PORT[\s\S]*SVC_LOG_LEVEL/],
])('%j is refused', (env, expected) => {
  verifies('config.relay-pair', 'daemon.non-loopback', 'daemon.key-file')
  expect(problems(env)).toMatch(expected)
})

test('a relay on this machine needs no TLS, another one by a switch', () => {
  verifies('security.loopback-ws')
  const local = { SVC_RELAY_URL: URL.replace('https://svc.example', 'http://localhost:3000'), SVC_RELAY_TOKEN: 'k' }
  expect(readConfig(local).relay?.url).toContain('localhost:3000')
  const remote = { SVC_RELAY_URL: URL.replace('https', 'http'), SVC_RELAY_TOKEN: 'k', SVC_ALLOW_INSECURE_RELAY: '1' }
  expect(readConfig(remote).relay?.key).toMatchObject({ kind: 'text' })
})

test('a token never prints', () => {
  const config = readConfig({ SVC_RELAY_URL: URL, SVC_RELAY_TOKEN: 'very-secret' })
  expect(JSON.stringify(config)).not.toContain('very-secret')
})
