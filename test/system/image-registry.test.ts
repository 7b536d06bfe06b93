import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { createResolveImage, type RegistrySettings } from '../../control-plane/src/registry/resolve-image.ts'
import { makeCertificate, type Certificate } from '../support/certificates.ts'
import { startImageRegistry, type ImageRegistry, type RegistryAuth } from '../support/image-registry.ts'
import { startTokenServer, tokenFor } from '../support/token-server.ts'
import { removeFolder } from '../support/remove-folder.ts'

const REPOSITORY = 'team/svcd'
const PASSWORD = 'a-password-of-the-tests'
// The hash of this password, made with crypt(3).
const HTPASSWD = 'puller:$2b$04$6O/AZVmspK2Wd1ROqsTeb.BBePfNzDtU1p/TKzg0cMLkzPoY4ZKMu\n'
const basic = `Basic ${Buffer.from(`puller:${PASSWORD}`).toString('base64')}`

let folder: string
let certificate: Certificate
const lines: string[] = []
const log = createLog({ service: 'test', level: 'debug', destination: { write: (line) => void lines.push(line) } })
const undo: (() => unknown)[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-images-'))
  certificate = await makeCertificate(folder, 'registry')
})
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
  expect(lines.splice(0).join('')).not.toContain(PASSWORD)
})
afterAll(() => removeFolder(folder))

const registryWith = async (auth?: RegistryAuth, tls?: Certificate): Promise<ImageRegistry> => {
  const registry = await startImageRegistry({ ...(auth && { auth }), ...(tls && { tls }) })
  undo.push(() => registry.stop())
  return registry
}
/** A server that responds in ways in which no registry should. */
const answering = async (listener: RequestListener): Promise<{ host: string; origin: string; server: Server }> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, origin: `http://${host}`, server }
}
const authFile = async (host: string, password = PASSWORD): Promise<string> => {
  const file = join(folder, 'config.json')
  const auth = Buffer.from(`puller:${password}`).toString('base64')
  await writeFile(file, JSON.stringify({ auths: { [host]: { auth } } }))
  return file
}
type Given = Partial<RegistrySettings> & { digests?: 'required' | 'preferred'; withinMs?: number }
const resolving = ({ digests = 'required', withinMs = 60_000, ...registry }: Given = {}) =>
  createResolveImage({
    registry: { url: undefined, authFile: undefined, caFile: undefined, ...registry },
    digests,
    log,
    withinMs,
  })
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no failure',
    (error: { code: string; details?: { reason?: string } }) => `${error.code} ${error.details?.reason}`,
  )

describe('a registry that asks for nothing', () => {
  test('tells which digest a tag names now: the index where there is one', async () => {
    const { host, origin, push } = await registryWith()
    const resolve = resolving({ url: origin })
    const first = await push({ repository: REPOSITORY, tag: '1.0.0', content: 'one' })
    expect(first.index).not.toBe(first.image)
    expect(await resolve(`${host}/${REPOSITORY}:1.0.0`)).toBe(`${host}/${REPOSITORY}:1.0.0@${first.index}`)

    const second = await push({ repository: REPOSITORY, tag: '1.0.0', content: 'another one' })
    expect(await resolve(`${host}/${REPOSITORY}:1.0.0`)).toBe(`${host}/${REPOSITORY}:1.0.0@${second.index}`)
    const exact = `${host}/${REPOSITORY}:1.0.0@${first.index}`
    expect(await resolve(exact)).toBe(exact)
  })

  test('knows no other tag and no other repository', async () => {
    const { host, origin, push } = await registryWith()
    await push({ repository: REPOSITORY, tag: '1.0.0', content: 'one' })
    for (const digests of ['required', 'preferred'] as const)
      for (const image of [`${host}/${REPOSITORY}:2.0.0`, `${host}/team/other:1.0.0`])
        expect(await failure(resolving({ url: origin, digests })(image))).toBe('image_not_found ImageNotFound')
  })

  test('by TLS is believed when its authority is known', async () => {
    const { host, push } = await registryWith(undefined, certificate)
    const { index } = await push({ repository: REPOSITORY, tag: '1.0.0', content: 'one' })
    const image = `${host}/${REPOSITORY}:1.0.0`
    expect(await resolving({ caFile: certificate.certFile })(image)).toBe(`${image}@${index}`)
    expect(await failure(resolving()(image))).toBe('registry_unavailable NotReached')
  })
})

test('a registry that asks for name and password gets them, and nobody else does', async () => {
  const { host, origin, push } = await registryWith({ kind: 'basic', htpasswd: HTPASSWD })
  const { index } = await push({ repository: REPOSITORY, tag: '1.0.0', content: 'one', authorization: basic })
  const image = `${host}/${REPOSITORY}:1.0.0`
  const given = { url: origin, authFile: await authFile(host) }
  expect(await resolving(given)(image)).toBe(`${image}@${index}`)

  expect(await failure(resolving({ url: origin })(image))).toBe('registry_refused CredentialsNeeded')
  await authFile('registry.example.net')
  expect(await failure(resolving(given)(image))).toBe('registry_refused CredentialsNeeded')
  await authFile(host, 'wrong')
  expect(await failure(resolving(given)(image))).toBe('registry_refused AccessDenied')
})

describe('a registry that asks for a token', () => {
  const withTokens = async (mayPull: (user: string | undefined) => boolean) => {
    const tokens = await startTokenServer({ signer: certificate, mayPull })
    undo.push(tokens.stop)
    const registry = await registryWith({ kind: 'token', realm: tokens.realm, signer: certificate })
    const authorization = `Bearer ${tokenFor(certificate, REPOSITORY)}`
    const { index } = await registry.push({ repository: REPOSITORY, tag: '1.0.0', content: 'one', authorization })
    return { ...registry, tokens, index, image: `${registry.host}/${REPOSITORY}:1.0.0` }
  }

  test('gets one of its token server, with the right to pull this repository and no more', async () => {
    const { tokens, origin, image, index } = await withTokens(() => true)
    expect(await resolving({ url: origin })(image)).toBe(`${image}@${index}`)
    const scope = `repository:${REPOSITORY}:pull`
    expect(tokens.requests).toEqual([{ user: undefined, scope, service: 'registry of the tests' }])
  })

  test('gets it for who is in the pull secret', async () => {
    const { tokens, origin, host, image, index } = await withTokens((user) => user === 'puller')
    const authorized = { url: origin, authFile: await authFile(host) }
    expect(await resolving(authorized)(image)).toBe(`${image}@${index}`)
    expect(tokens.requests.at(-1)?.user).toBe('puller')
    expect(await failure(resolving({ url: origin })(image))).toBe('registry_refused AccessDenied')
  })

  test('is refused where the token server is not to be trusted with a password', async () => {
    for (const realm of ['ftp://127.0.0.1/token', 'http://name:secret@127.0.0.1/token', 'nonsense']) {
      const { host, origin } = await answering((_request, response) => {
        response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}"` }).end()
      })
      const given = { url: origin, authFile: await authFile(host) }
      expect(await failure(resolving(given)(`${host}/${REPOSITORY}:1`))).toBe('registry_refused RealmNotTrusted')
    }
  })
})

describe('where no registry can be asked', () => {
  test('a tag is refused with what to do, and a digest needs nobody', async () => {
    const exact = `registry.example.net/team/svcd@sha256:${'a'.repeat(64)}`
    expect(await resolving({ url: 'none' })(exact)).toBe(exact)
    const resolved = resolving({ url: 'none' })('registry.example.net/team/svcd:1.0.0')
    await expect(resolved).rejects.toMatchObject({ code: 'registry_refused', message: /name the digest/ })
  })

  test('an exact tag will do where digests are only preferred', async () => {
    const image = '127.0.0.1:1/team/svcd:1.0.0'
    expect(await failure(resolving()(image))).toBe('registry_unavailable NotReached')
    expect(await resolving({ digests: 'preferred' })(image)).toBe(image)
    expect(await resolving({ digests: 'preferred', url: 'none' })(image)).toBe(image)
    expect(lines.join('')).toContain('a tag was not resolved')
  })

  test('a pull secret or an authority that cannot be read is named', async () => {
    const image = '127.0.0.1:1/team/svcd:1.0.0'
    await writeFile(join(folder, 'broken.json'), '{')
    for (const given of [{ authFile: join(folder, 'broken.json') }, { caFile: join(folder, 'absent.pem') }])
      expect(await failure(resolving(given)(image))).toBe('registry_refused AccessNotReadable')
  })
})

describe('a registry that answers as none should', () => {
  const NEVER = 'registry_unavailable NotReached'
  const cases: [string, RequestListener, string][] = [
    ['never answers', () => {}, NEVER],
    ['is overloaded', (_request, response) => response.writeHead(503).end(), 'registry_unavailable NotAnswered'],
    ['wants a pause', (_request, response) => response.writeHead(429).end(), 'registry_unavailable NotAnswered'],
    [
      'sends elsewhere',
      (_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      'registry_refused AnswerNotUnderstood',
    ],
    [
      'asks for what nobody knows',
      (_request, response) => response.writeHead(401, { 'www-authenticate': 'Negotiate' }).end(),
      'registry_refused ChallengeNotUnderstood',
    ],
    [
      'has only what no node runs any more',
      (_request, response) =>
        response.writeHead(200, { 'content-type': 'application/vnd.docker.distribution.manifest.v1+json' }).end(),
      'image_not_found ManifestNotSupported',
    ],
    [
      'answers without end',
      (request, response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.oci.image.index.v1+json' })
        const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more))
        if (request.method === 'HEAD') response.end()
        else more()
      },
      NEVER,
    ],
  ]
  test.each(cases)('one that %s', async (_what, listener, expected) => {
    const { host, origin } = await answering(listener)
    const withinMs = expected === NEVER ? 1_500 : 60_000
    const resolved = resolving({ url: origin, withinMs })(`${host}/${REPOSITORY}:1`)
    expect(await failure(resolved)).toBe(expected)
  })

  test.each([
    ['tells no digest', {}],
    ['tells a digest of another kind', { 'docker-content-digest': 'md5:x' }],
  ])('one that %s: it is that of the bytes', async (_what, headers) => {
    const { host, origin } = await answering((request, response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.oci.image.index.v1+json; charset=utf-8', ...headers })
      response.end(request.method === 'HEAD' ? undefined : 'abc')
    })
    const digest = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    const image = `${host}/${REPOSITORY}:1`
    expect(await resolving({ url: origin })(image)).toBe(`${image}@${digest}`)
  })

  test('one that takes no HEAD', async () => {
    const { host, origin } = await answering((request, response) => {
      const isHead = request.method === 'HEAD'
      response.writeHead(isHead ? 405 : 200, { 'content-type': 'application/vnd.oci.image.manifest.v1+json' })
      response.end(isHead ? undefined : 'abc')
    })
    expect(await resolving({ url: origin })(`${host}/${REPOSITORY}:1`)).toMatch(/@sha256:ba7816bf/)
  })
})
