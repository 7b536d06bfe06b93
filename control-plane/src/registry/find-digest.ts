import { createHash } from 'node:crypto'
import { z } from 'zod'
import { fail } from '@svc/shared/wire/errors.ts'
import { readAuthChallenge, type AuthChallenge } from './auth-challenge.ts'
import type { RegistryCredentials } from './registry-credentials.ts'
import type { RegistryAnswer, RegistryHttp } from './registry-http.ts'

export type DigestQuestion = {
  http: RegistryHttp
  /** Origin of the registry. */
  registry: string
  repository: string
  tag: string
  credentials: RegistryCredentials | undefined
}

// Prefer an index: a cluster with nodes of two architectures needs all of it.
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]
const DIGEST = /^sha256:[0-9a-f]{64}$/
const Token = z.object({ token: z.string().min(1).optional(), access_token: z.string().min(1).optional() })

/**
 * Asks a registry (distribution API v2) for the digest that a tag names now. Throws image_not_found, registry_refused,
 * or registry_unavailable when a retry may help.
 */
export async function findDigest(question: DigestQuestion): Promise<string> {
  const { registry, repository, tag } = question
  const url = new URL(`${registry}/v2/${repository}/manifests/${tag}`)
  let authorization: string | undefined

  const ask = async (method: 'HEAD' | 'GET'): Promise<RegistryAnswer> => {
    const send = () =>
      question.http.send({
        method,
        url,
        headers: { accept: MANIFESTS.join(', '), ...(authorization !== undefined && { authorization }) },
      })
    const answer = await send()
    if (answer.status !== 401 || authorization !== undefined) return answer
    const challenge = readAuthChallenge(answer.header('www-authenticate') ?? '')
    if (challenge === undefined) throw fail('registry_refused', { reason: 'ChallengeNotUnderstood' })
    authorization = await authorize(question, challenge)
    return send()
  }

  const head = await ask('HEAD')
  if (head.status !== 405) judge(head)
  const told = head.header('docker-content-digest')
  if (head.status === 200 && told !== undefined && DIGEST.test(told)) return told

  // Some registries do not send the digest; compute it from the bytes.
  const whole = judge(await ask('GET'))
  return `sha256:${createHash('sha256').update(whole.body).digest('hex')}`
}

/** The authorization header for the next requests. */
async function authorize(question: DigestQuestion, challenge: AuthChallenge): Promise<string> {
  const { http, registry, repository, credentials } = question
  const basic = credentials && basicOf(credentials)
  if (challenge.scheme === 'basic') {
    if (basic === undefined) throw fail('registry_refused', { reason: 'CredentialsNeeded' })
    return basic
  }

  const url = realmOf(challenge.realm, registry)
  if (challenge.service !== undefined) url.searchParams.set('service', challenge.service)
  // Chosen here, not by the registry: reading this repository is all that is ever needed.
  url.searchParams.set('scope', `repository:${repository}:pull`)
  const headers: Record<string, string> = basic === undefined ? {} : { authorization: basic }
  const answer = await http.send({ method: 'GET', url, headers })
  if (isPassing(answer.status)) throw fail('registry_unavailable', { reason: 'NoToken', status: answer.status })
  const parsed = answer.status === 200 ? Token.safeParse(jsonOf(answer.body)) : undefined
  const token = parsed?.data?.token ?? parsed?.data?.access_token
  if (token === undefined) throw fail('registry_refused', { reason: 'NoToken', status: answer.status })
  return `Bearer ${token}`
}

// Sends no password in the clear unless the registry itself is reached in the clear.
function realmOf(realm: string, registry: string): URL {
  const url = URL.parse(realm)
  const allowed = registry.startsWith('http:') ? ['http:', 'https:'] : ['https:']
  if (url === null || !allowed.includes(url.protocol) || url.username !== '' || url.password !== '')
    throw fail('registry_refused', { reason: 'RealmNotTrusted' })
  return url
}

function judge(answer: RegistryAnswer): RegistryAnswer {
  const { status } = answer
  if (status === 404) throw fail('image_not_found', { reason: 'ImageNotFound' })
  if (status === 401 || status === 403) throw fail('registry_refused', { reason: 'AccessDenied', status })
  if (isPassing(status)) throw fail('registry_unavailable', { reason: 'NotAnswered', status })
  if (status !== 200) throw fail('registry_refused', { reason: 'AnswerNotUnderstood', status })
  const type = answer.header('content-type')?.split(';')[0]?.trim() ?? ''
  if (!MANIFESTS.includes(type)) throw fail('image_not_found', { reason: 'ManifestNotSupported' })
  return answer
}

const isPassing = (status: number) => status === 408 || status === 429 || status >= 500

const basicOf = ({ username, password }: RegistryCredentials) =>
  `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString('base64')}`

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
