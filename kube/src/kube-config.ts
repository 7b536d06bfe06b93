import { KubeConfig, type Cluster } from '@kubernetes/client-node'
import { Agent, type Dispatcher } from 'undici'

type AgentOptions = Parameters<KubeConfig['createDispatcherOptions']>[1]
type WithDispatcher = { createDispatcher(cluster: Cluster | null, options: AgentOptions): Dispatcher | undefined }

const CONNECTIONS = 64
// A server that went without a word leaves watches that nothing comes by; its successor answers a probe with a reset.
const PROBED_AFTER_MS = 10_000
// The API server closes a connection that was idle for 90 s; until then the next request spares itself a handshake.
const KEEP_ALIVE_MS = 60_000

/** A cluster and the credentials for it, with the connections that were opened to it. */
export type KubeAccess = KubeConfig & { close(): Promise<void> }

/**
 * The cluster to talk to: a kubeconfig file, or the service account of the pod. The library makes one connection pool
 * per request wherever TLS options are set, which in a cluster they are; here each set of options has one pool.
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
