import { isKubeError } from '@svc/kube/src/kube-error.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { isNetworkError } from '@svc/shared/kit/network-error.ts'
import { StoreUnavailable, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'

type Requests = Pick<ManagedDaemonStore, 'find' | 'list' | 'create' | 'patchSpec' | 'remove'>

// What undici adds to the errors of the system.
const OF_CLIENT = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_SOCKET'])

// A token or a role that is refused, or too many requests: none of them ends by a change of the request.
const OF_ALL_REQUESTS = new Set([401, 403, 429])

/**
 * The store whose requests throw StoreUnavailable while the Kubernetes API is away or refuses us. Each outage is logged
 * once, when its first request fails, and once more at the first answer after it.
 */
export function reportUnavailable<Store extends Requests>(store: Store, log: Pick<Log, 'warn' | 'info'>): Store {
  let away = false

  const asked = async <T>(request: Promise<T>): Promise<T> => {
    try {
      const answer = await request
      if (away) log.info('the Kubernetes API answers again')
      away = false
      return answer
    } catch (error) {
      if (!isUnavailable(error)) throw error
      const reason = reasonOf(error)
      if (!away) log.warn({ reason }, 'the Kubernetes API cannot be used; requests fail until it answers')
      away = true
      throw new StoreUnavailable(`The Kubernetes API cannot be used: ${reason}`, { cause: error })
    }
  }

  return {
    ...store,
    find: (name) => asked(store.find(name)),
    list: () => asked(store.list()),
    create: (spec) => asked(store.create(spec)),
    patchSpec: (name, resourceVersion, patch) => asked(store.patchSpec(name, resourceVersion, patch)),
    remove: (name, found) => asked(store.remove(name, found)),
  }
}

function isUnavailable(error: unknown): error is Error {
  if (isKubeError(error)) return OF_ALL_REQUESTS.has(error.status) || error.status >= 500
  if (!(error instanceof Error)) return false
  if (error.name === 'TimeoutError' || isNetworkError(error)) return true
  return OF_CLIENT.has((error as NodeJS.ErrnoException).code ?? '')
}

// A name with several addresses gives an AggregateError without a message of its own.
const reasonOf = ({ name, message, ...error }: Error): string =>
  message || ('code' in error && typeof error.code === 'string' ? error.code : name)
