import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkLog } from './check-log.ts'
import { endProcess, removeProcess } from './end-process.ts'
import { programEnvironment } from './program-environment.ts'
import { removeFolder } from './remove-folder.ts'

const fromSources = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))

/** A real svcd process with a home of its own. */
export type Svcd = {
  url: string
  home: string
  /** Path of a file in a vault. */
  file(vaultId: string, path: string): string
  process: ChildProcess
  output(): string
  kill(): Promise<void>
  stop(): Promise<number | null>
  /** Starts it again on the same home. */
  restart(): Promise<void>
  remove(): Promise<void>
}

/** A new folder for a home, in the system's temporary folder. */
export const newHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'svcd-test-'))

/** Runs svcd until it ends by itself; returns its exit code and output. */
export async function runSvcd(environment: Record<string, string>, args: string[] = []) {
  const child = spawn(process.execPath, [fromSources, ...args], {
    env: programEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...texts }
}

type Start = { home?: string; env?: Record<string, string>; program?: string }

/** Starts svcd on a free port, from its sources or as another program; returns when it has logged its address. */
export async function startSvcd({ home, env = {}, program = fromSources }: Start = {}): Promise<Svcd> {
  const folder = home ?? (await newHome())
  let child: ChildProcess
  let output = ''
  let earlier = ''
  let url = ''

  const start = async () => {
    earlier += output
    output = ''
    child = spawn(process.execPath, [program], {
      env: programEnvironment({ SVC_HOME: folder, SVC_PORT: '0', ...env }),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ended = once(child, 'exit')
    while (!/svcd listening at/.test(output)) {
      const over = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))])
      if (over) throw new Error(`svcd did not start:\n${output}`)
    }
    url = /listening at (http:\S+),/.exec(output)?.[1] ?? ''
  }
  const end = (signal: NodeJS.Signals) => endProcess(child, signal)
  await start()

  return {
    get url() {
      return url
    },
    get process() {
      return child
    },
    home: folder,
    file: (vaultId, path) => join(folder, 'vaults', vaultId, path),
    output: () => output,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    restart: start,
    remove: async () => {
      // A git process started by the killed daemon may still write for a moment.
      await removeProcess(child).finally(() => removeFolder(folder))
      checkLog('the log of svcd', earlier + output)
    },
  }
}

/** The response to a raw HTTP request. */
export type RawAnswer = { status: number; headers: Record<string, string | string[] | undefined>; body: string }

type RawRequest = {
  url: string
  path: string
  method?: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

/** Sends a request as written: the path is not normalized and any header can be set. */
export function rawRequest({ url, path, method = 'GET', headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

type Call = { method?: string; headers?: Record<string, string>; json?: unknown; body?: string | Buffer }

/** Calls the API of a daemon; returns status, headers and the parsed body. */
export async function call<T = Record<string, unknown>>(
  daemon: Pick<Svcd, 'url'>,
  path: string,
  { method, headers, json, body }: Call = {},
) {
  const answer = await fetch(daemon.url + path, {
    method: method ?? (json === undefined && body === undefined ? 'GET' : 'POST'),
    headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: json === undefined ? (body as BodyInit | undefined) : JSON.stringify(json),
  })
  const text = await answer.text()
  const parsed =
    text !== '' && answer.headers.get('content-type')?.startsWith('application/json')
      ? (JSON.parse(text) as T)
      : (undefined as T)
  return { status: answer.status, headers: answer.headers, text, body: parsed }
}
