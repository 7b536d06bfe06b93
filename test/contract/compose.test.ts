import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../control-plane/src/config.ts'
import { readConfig as readDaemonConfig } from '../../daemon/src/config.ts'
import { verifies } from '../requirements.ts'

type Service = {
  image: string
  environment?: Record<string, string>
  depends_on?: Record<string, object>
  read_only?: boolean
  cap_drop?: string[]
  command?: string[]
}
type Network = { ipam: { config: { subnet: string; gateway: string }[] } }
type Compose = { services: Record<string, Service>; volumes: object; networks?: Record<string, Network> }

const given = {
  AUTH_SECRET: 'x'.repeat(64),
  POSTGRES_PASSWORD: 'y'.repeat(32),
  APP_PASSWORD: 'z'.repeat(32),
  SVC_RELAY_URL: 'https://svc.example.net/t/org_aaaaaaaaaaaaaaaaaaaaaaaa',
  SVC_KEY_FILE: './daemon-key',
} as Record<string, string>

/** The part of Compose's substitution that the files use: `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
function substituted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(substituted)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, substituted(each)]))
  if (typeof value !== 'string') return value
  return value.replaceAll(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g, (_all, name: string, kind = '', word = '') => {
    if (given[name] === undefined && kind === '?') throw new Error(`${name}: ${word}`)
    return given[name] ?? word
  })
}
const textOf = (file: string) => readFileSync(new URL(`../../compose/${file}`, import.meta.url), 'utf8')
const read = (name: string) => substituted(parse(textOf(`${name}.yaml`), { merge: true })) as Compose

/** The comment that a file begins with. */
const headerOf = (file: string) => /^(?:#.*\n)+/.exec(textOf(file))?.[0] ?? ''

test('the platform starts with what its compose file sets', () => {
  verifies('compose.starts')
  const { services, volumes } = read('platform')
  const config = readConfig(services['control-plane']!.environment)
  expect(config).toMatchObject({
    baseUrl: 'http://localhost:7380',
    vaultOriginTemplate: 'http://{label}.localhost:7390',
    managedDaemons: { store: 'none' },
  })
  expect(config.databaseUrl.reveal()).toBe(`postgres://svc_app:${given.APP_PASSWORD}@postgres:5432/svc`)
  for (const name of ['roles', 'migrate']) {
    expect(services[name]!.command).toEqual([name])
    const asOwner = readConfig(services[name]!.environment)
    expect(asOwner.databaseOwnerUrl.reveal()).toBe(`postgres://svc:${given.POSTGRES_PASSWORD}@postgres:5432/svc`)
    expect(asOwner.databaseAppPassword?.reveal()).toBe(given.APP_PASSWORD)
  }
  for (const name of ['roles', 'migrate', 'control-plane'])
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  const needed = Object.values(services).flatMap((service) => Object.keys(service.depends_on ?? {}))
  expect(needed.filter((name) => !(name in services))).toEqual([])
  expect(Object.keys(volumes)).toEqual(['postgres', 'valkey'])
  for (const { image } of Object.values(services)) expect(image).toMatch(/:\d[\w.-]*$/)
})

test('the secret of the platform can change', () => {
  verifies('compose.starts')
  const previousOf = () => readConfig(read('platform').services['control-plane']!.environment).authSecretPrevious
  expect(previousOf()).toBeUndefined()
  given.AUTH_SECRET_PREVIOUS = 'p'.repeat(64)
  expect(previousOf()?.reveal()).toBe(given.AUTH_SECRET_PREVIOUS)
  delete given.AUTH_SECRET_PREVIOUS
})

test('mails have the sender that is set, and a proxy is trusted once it is named', () => {
  verifies('compose.starts')
  const config = () => readConfig(read('platform').services['control-plane']!.environment)
  const unset = config()
  expect(unset.mail.from).toBe('svc <no-reply@localhost>')
  expect(unset.trustedProxies).toEqual([])
  Object.assign(given, { MAIL_FROM: 'Notes <notes@example.net>', TRUSTED_PROXIES: '172.16.73.1' })
  const set = config()
  delete given.MAIL_FROM
  delete given.TRUSTED_PROXIES
  expect(set.mail.from).toBe('Notes <notes@example.net>')
  expect(set.trustedProxies).toEqual(['172.16.73.1'])
})

test.each([
  ['platform.yaml', 'platform'],
  ['nginx.conf', 'platform'],
  ['svcd.yaml', 'svcd'],
])('every variable that the head of %s names changes what Compose starts', (file, name) => {
  verifies('compose.starts')
  const named = new Set(headerOf(file).match(/\b[A-Z]+_[A-Z_]+\b/g))
  expect(named.size).toBeGreaterThan(0)
  const kept = { ...given }
  const unused = [...named].filter((variable) => {
    given[variable] = `marked-${variable}`
    return !JSON.stringify(read(name)).includes(`marked-${variable}`)
  })
  for (const variable of named) delete given[variable]
  Object.assign(given, kept)
  expect(unused).toEqual([])
})

test('the proxy that both heads name is the gateway of the network', () => {
  verifies('compose.starts')
  const { ipam } = read('platform').networks!.default!
  for (const file of ['platform.yaml', 'nginx.conf'])
    expect(headerOf(file)).toContain(`TRUSTED_PROXIES=${ipam.config[0]!.gateway}`)
})

test('the daemon starts with what its compose file sets', () => {
  const { services } = read('svcd')
  expect(() => readDaemonConfig(services.svcd!.environment)).not.toThrow()
  expect(services.svcd).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
})

test('each image is the one that its Dockerfile says how to build, and no registry is asked for it', () => {
  verifies('compose.images')
  const images = { platform: ['control-plane', 'control-plane'], svcd: ['svcd', 'daemon'] } as const
  for (const [file, [service, part]] of Object.entries(images)) {
    const dockerfile = readFileSync(new URL(`../../${part}/Dockerfile`, import.meta.url), 'utf8')
    const [, built] = /^# +docker build .* -t (\S+)/m.exec(dockerfile) ?? []
    expect(read(file).services[service]).toMatchObject({ image: built, pull_policy: 'never' })
  }
})

test('settings that only the owner knows are required', () => {
  const { AUTH_SECRET: kept, ...rest } = given
  delete given.AUTH_SECRET
  expect(() => read('platform')).toThrow('set AUTH_SECRET')
  Object.assign(given, rest, { AUTH_SECRET: kept })
})
