import { HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node'
import { Agent, request as send, type Dispatcher } from 'undici'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { GROUP, PLURAL, VERSION } from '@svc/shared/wire/managed-daemon.ts'

/** The Kubernetes API refused a request. */
export class ResourceApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message || `the Kubernetes API answered ${status}`)
    this.name = 'ResourceApiError'
    this.status = status
  }
}

type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Name of one resource; without it the whole collection. */
  name?: string
  query?: Record<string, string | undefined>
  body?: unknown
  signal?: AbortSignal
}

type Options = { namespace: string; kubeconfig: string | undefined; clock: Clock }

const TIMEOUT_MS = 30_000
const MOST_ATTEMPTS = 4
const LONGEST_PAUSE_S = 20
// A server that went without a word leaves a watch that nothing comes by; its successor answers a probe with a reset.
const PROBED_AFTER_MS = 10_000

/** Calls on the ManagedDaemon resources of one namespace, over one pool of connections. */
export function resourceApi({ namespace, kubeconfig, clock }: Options) {
  const config = new KubeConfig()
  if (kubeconfig === undefined) config.loadFromDefault()
  else config.loadFromFile(kubeconfig)
  const collection = `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/${PLURAL}`
  const pool = onePool(config)

  const open = async ({ method, name, query = {}, body, signal }: Call) => {
    const server = config.getCurrentCluster()?.server ?? ''
    const url = new URL(server.replace(/\/$/, '') + collection + (name === undefined ? '' : `/${name}`))
    for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value)
    const context = new RequestContext(url.toString(), HttpMethod.GET)
    await config.applySecurityAuthentication(context)
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return send(url, {
      method,
      headers: {
        ...context.getHeaders(),
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': type }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher: context.getDispatcher() as Dispatcher | undefined,
      signal,
      bodyTimeout: 0,
    })
  }

  return {
    /** One request and its answer. 429 is obeyed: the server took nothing in. */
    async call<T>(call: Call): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        const late = AbortSignal.timeout(TIMEOUT_MS)
        const signal = call.signal ? AbortSignal.any([call.signal, late]) : late
        const { statusCode, headers, body } = await open({ ...call, signal })
        const text = await body.text()
        if (statusCode < 300) return JSON.parse(text) as T
        if (statusCode !== 429 || attempt === MOST_ATTEMPTS) throw new ResourceApiError(statusCode, messageIn(text))
        const seconds = Number(headers['retry-after']) || 1
        await clock.sleep(Math.min(seconds, LONGEST_PAUSE_S) * 1_000, call.signal)
      }
    },
    /** Hands over each line of a watch until the server ends it. */
    async follow(call: Call, onLine: (line: string) => void): Promise<void> {
      const { statusCode, body } = await open(call)
      if (statusCode >= 300) throw new ResourceApiError(statusCode, messageIn(await body.text()))
      const decoder = new TextDecoder()
      let rest = ''
      for await (const chunk of body) {
        const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) if (line !== '') onLine(line)
      }
    },
    close: () => pool.close(),
  }
}

export type ResourceApi = ReturnType<typeof resourceApi>

type Library = { createDispatcher(cluster: unknown, options: object): Dispatcher | undefined }

/** Makes the library reuse connections: left alone it opens a new pool for each request that has TLS options. */
function onePool(config: KubeConfig): { close(): Promise<void> } {
  const library = config as unknown as Library
  const pools = new Map<string, Agent | undefined>()
  const create = library.createDispatcher.bind(config)
  library.createDispatcher = (cluster, given) => {
    const options = config.createDispatcherOptions(config.getCurrentCluster(), given)
    if (options.type !== 'agent') return create(cluster, given)
    const key = JSON.stringify(options)
    const connect = { ...options.connect, keepAliveInitialDelay: PROBED_AFTER_MS }
    if (!pools.has(key)) pools.set(key, new Agent({ connect, connections: 16, allowH2: false }))
    return pools.get(key)
  }
  return { close: async () => void (await Promise.all([...pools.values()].map((pool) => pool?.destroy()))) }
}

function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? ''
  } catch {
    return text.slice(0, 200)
  }
}
