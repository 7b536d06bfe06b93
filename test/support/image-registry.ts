import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { stringify } from 'yaml'
import type { Certificate } from './certificates.ts'
import { debianPackage } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { ISSUER, SERVICE } from './token-server.ts'
import { until } from './until.ts'
import { removeFolder } from './remove-folder.ts'

export type RegistryAuth =
  | { kind: 'nobody' }
  /** Name and password, from a file of bcrypt hashes. */
  | { kind: 'basic'; htpasswd: string }
  /** Tokens of a token server, verified by its certificate. */
  | { kind: 'token'; realm: string; signer: Certificate }

/** `listen`: the address to listen on, if not loopback. */
type Options = { auth?: RegistryAuth; tls?: Certificate; listen?: string }
type Push = { repository: string; tag: string; content: string; authorization?: string }

const IMAGE = 'application/vnd.docker.distribution.manifest.v2+json'
const INDEX = 'application/vnd.docker.distribution.manifest.list.v2+json'
const CONFIG = 'application/vnd.docker.container.image.v1+json'

const digestOf = (bytes: string) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** A real image registry (CNCF distribution) in memory. Only its API is served. */
export async function startImageRegistry({ auth = { kind: 'nobody' }, tls, listen = '127.0.0.1' }: Options = {}) {
  const binary = join(await debianPackage('docker-registry'), 'usr/bin/docker-registry')
  const folder = await mkdtemp(join(tmpdir(), 'svc-registry-'))
  const port = await freePort()
  const config = join(folder, 'config.yml')
  await writeFile(
    config,
    stringify({
      version: 0.1,
      log: { level: 'error' },
      storage: { inmemory: {} },
      http: { addr: `${listen}:${port}`, ...(tls && { tls: { certificate: tls.certFile, key: tls.keyFile } }) },
      ...(auth.kind !== 'nobody' && { auth: await authConfig(auth, folder) }),
    }),
  )
  const child = spawn(binary, ['serve', config], { stdio: 'ignore' })
  const origin = `${tls ? 'https' : 'http'}://${listen}:${port}`
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })

  const send = async (
    method: 'GET' | 'PUT' | 'POST',
    url: string,
    body?: string,
    headers: Record<string, string> = {},
  ) => {
    const answer = await request(url, { method, body, headers, dispatcher })
    return { status: answer.statusCode, location: String(answer.headers.location), text: await answer.body.text() }
  }
  await until('the registry answers', async () => {
    if (child.exitCode !== null) throw new Error(`the registry ended with ${child.exitCode}`)
    return (await send('GET', `${origin}/v2/`).catch(() => undefined)) !== undefined
  })

  /** Pushes an image with one blob, and an index over it, under a tag; returns the digests of both. */
  const push = async ({ repository, tag, content, authorization }: Push): Promise<{ index: string; image: string }> => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const must = async (...asked: Parameters<typeof send>) => {
      const answer = await send(...asked)
      if (answer.status >= 300) throw new Error(`${asked[0]} ${asked[1]}: ${answer.status} ${answer.text}`)
      return answer
    }
    const put = (mediaType: string, text: string, at: string) =>
      must('PUT', `${origin}/v2/${repository}/manifests/${at}`, text, { ...headers, 'content-type': mediaType })

    const begun = await must('POST', `${origin}/v2/${repository}/blobs/uploads/`, '', headers)
    const upload = new URL(begun.location, origin)
    upload.searchParams.set('digest', digestOf(content))
    await must('PUT', upload.href, content, { ...headers, 'content-type': 'application/octet-stream' })
    const blob = { mediaType: CONFIG, size: content.length, digest: digestOf(content) }
    const image = JSON.stringify({ schemaVersion: 2, mediaType: IMAGE, config: blob, layers: [] })
    const platform = { architecture: 'amd64', os: 'linux' }
    const entry = { mediaType: IMAGE, size: image.length, digest: digestOf(image), platform }
    const index = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [entry] })
    await put(IMAGE, image, digestOf(image))
    await put(INDEX, index, tag)
    return { index: digestOf(index), image: digestOf(image) }
  }

  let stopped: Promise<void> | undefined
  const stop = async () => {
    const ended = once(child, 'exit')
    if (child.kill('SIGTERM')) await ended
    await dispatcher.close()
    await removeFolder(folder)
  }

  return {
    host: `${listen}:${port}`,
    origin,
    push,
    /** Stops the registry for good. A second call does nothing. */
    stop: () => (stopped ??= stop()),
  }
}

export type ImageRegistry = Awaited<ReturnType<typeof startImageRegistry>>

async function authConfig(auth: Exclude<RegistryAuth, { kind: 'nobody' }>, folder: string): Promise<object> {
  if (auth.kind === 'token') {
    const rootcertbundle = auth.signer.certFile
    return { token: { realm: auth.realm, service: SERVICE, issuer: ISSUER, rootcertbundle } }
  }
  const path = join(folder, 'htpasswd')
  await writeFile(path, auth.htpasswd)
  return { htpasswd: { realm: 'registry of the tests', path } }
}
