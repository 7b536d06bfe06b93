import { KubeConfig, type Cluster } from '@kubernetes/client-node'
import { Agent, type Dispatcher } from 'undici'

type AgentOptions = Parameters<KubeConfig['createDispatcherOptions']>[1]
type WithDispatcher = { createDispatcher(cluster: Cluster | null, options: AgentOptions): Dispatcher | undefined }

const CONNECTIONS = 64
// When an API server vanishes, its watches stay open without events. Its successor answers a TCP probe with a reset.
const PROBED_AFTER_MS = 10_000
// The API server closes a connection after 90 s without a request; until then the next request saves a handshake.
const KEEP_ALIVE_MS = 60_000

/** A cluster, the credentials for it, and the connections to it. */
export type KubeAccess = KubeConfig & { close(): Promise<void> }

/**
 * The cluster to use: from a kubeconfig file, or the service account of the pod. The library makes one connection pool
 * per request when TLS options are set, as they are in a cluster; here each set of options has one pool.
 */
export function loadKubeConfig(file: string | undefined): KubeAccess {
  const config = new KubeConfig()
  if (file === undefined) config.loadFromDefault()
  else config.loadFromFile(file)

  const pools = new Map<string, Dispatcher | undefined>()
  const library = config as unknown as WithDispatcher
  const create = library.createDispatcher.bind(config)
  library.createDispatcher = (cluster, agentOptions) => {
    const options = config.createDispatcherOptions(cluster, agentOptions)
    const key = JSON.stringify(options)
    if (!pools.has(key)) {
      // HTTP/1.1: one connection per watch, so that a stalled one stalls nothing else.
      const own = () =>
        new Agent({
          connect: { ...(options.type === 'agent' ? options.connect : {}), keepAliveInitialDelay: PROBED_AFTER_MS },
          connections: CONNECTIONS,
          keepAliveTimeout: KEEP_ALIVE_MS,
          allowH2: false,
        })
      pools.set(key, options.type === 'agent' ? own() : create(cluster, agentOptions))
    }
    return pools.get(key)
  }
  const close = async () => void (await Promise.all([...pools.values()].map((pool) => pool?.destroy())))
  return Object.assign(config, { close })
}
