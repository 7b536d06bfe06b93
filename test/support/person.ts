import { channel } from 'node:diagnostics_channel'
import { Agent, request as httpRequest } from 'node:http'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { signUpToken, type Mailbox } from './mailbox.ts'

/** A response of the API, read whole. */
export type Answer = {
  status: number
  headers: Record<string, string | undefined> & { 'set-cookie'?: string[] }
  /** Parsed if it is JSON. */
  body: any // eslint-disable-line typescript/no-explicit-any -- tests look into responses freely
  text: string
}

type Call = { body?: unknown; headers?: Record<string, string>; host?: string }

/** A client with a cookie jar, like one person's browser: same origin, JSON bodies. */
export type Person = {
  get(path: string, call?: Call): Promise<Answer>
  post(path: string, body?: unknown, call?: Call): Promise<Answer>
  patch(path: string, body?: unknown, call?: Call): Promise<Answer>
  delete(path: string, body?: unknown, call?: Call): Promise<Answer>
  send(method: string, path: string, call?: Call): Promise<Answer>
  /** Where this client sends its requests. */
  origin: string
  cookies: Map<string, string>
  email: string
  id: string
  /** Signs up and uses the mailed link, which signs in. Returns the confirmation, or the sign-up if that failed. */
  signUp(account: { email: string; name?: string; password?: string }): Promise<Answer>
  signIn(password?: string): Promise<Answer>
}

const noMailbox: Mailbox = () => Promise.reject(new Error('this person has no mailbox'))

export const PASSWORD = 'correct horse battery staple'

/** A person with a browser. Systems resolve `localhost` differently, so 127.0.0.1 is dialled. */
export function createPerson(origin: string, mailbox: Mailbox = noMailbox): Person {
  const { host } = new URL(origin)
  const cookies = new Map<string, string>()

  const send = async (method: string, path: string, call: Call = {}): Promise<Answer> => {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const unsafe = method !== 'GET' && method !== 'HEAD'
    const headers = {
      host: call.host ?? host,
      ...(unsafe ? { origin } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(cookies.size > 0 ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
      ...call.headers,
    }
    const answer = await sendRaw(origin, { method, path, headers, body })
    for (const line of answer.headers['set-cookie'] ?? []) keep(cookies, line)
    return answer
  }

  const person: Person = {
    origin,
    cookies,
    email: '',
    id: '',
    send,
    get: (path, call) => send('GET', path, call),
    post: (path, body = {}, call = {}) => send('POST', path, { ...call, body }),
    patch: (path, body = {}, call = {}) => send('PATCH', path, { ...call, body }),
    delete: (path, body = {}, call = {}) => send('DELETE', path, { ...call, body }),
    signUp: async ({ email, name = 'Ada Example', password = PASSWORD }) => {
      const signedUp = await person.post('/api/auth/sign-up/email', { email, name, password })
      person.email = email
      if (signedUp.status !== 200) return signedUp
      const confirmed = await person.post('/api/auth/sign-up/confirm', { token: await signUpToken(mailbox, email) })
      person.id = (await person.get('/api/settings')).body?.profile?.id ?? ''
      return confirmed
    },
    signIn: (password = PASSWORD) => person.post('/api/auth/sign-in/email', { email: person.email, password }),
  }
  return person
}

/** The server may close a kept connection at the moment when it is used again. */
const onceOnly = new Agent({ keepAlive: false })

type RawCall = { method: string; path: string; headers?: Record<string, string>; body?: string | undefined }

/** The result of one request, for a log of responses. A request without a response has the status 0. */
export type Answered = { method: string; url: string; status: number; bytes: number; tookMs: number; failure?: string }

/** Publishes every response to whoever subscribes. */
export const answers = channel('svc-test:answers')

/** Sends one request and reads the whole response. */
export async function sendRaw(origin: string, call: RawCall): Promise<Answer> {
  const since = systemClock.monotonic()
  const { method, path } = call
  const tell = (came: Pick<Answered, 'status' | 'bytes' | 'failure'>) =>
    answers.publish({ method, url: `${origin}${path}`, tookMs: systemClock.monotonic() - since, ...came })
  try {
    const answer = await exchange(origin, call)
    tell({ status: answer.status, bytes: Buffer.byteLength(answer.text) })
    return answer
  } catch (error) {
    tell({ status: 0, bytes: 0, failure: (error as Error).message })
    throw error
  }
}

function exchange(origin: string, { method, path, headers = {}, body }: RawCall): Promise<Answer> {
  const { port, host } = new URL(origin)
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const all = { host, ...length, ...headers }
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers: all, agent: onceOnly }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Answer['headers'],
          text,
          body: readJson(text),
        })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';')
  const [name = '', ...value] = pair.split('=')
  const ended = attributes.some((attribute) => /^\s*max-age=0\s*$/i.test(attribute))
  if (ended) cookies.delete(name)
  else cookies.set(name, value.join('='))
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
