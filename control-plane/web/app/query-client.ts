import { notifyManager, QueryClient } from '@tanstack/react-query'

// Notifies observers before a refetch resolves, so that a navigation after it sees the new state.
notifyManager.setScheduler(queueMicrotask)

/**
 * The cache of everything read from the API. A failure shows at once beside the data that is already known: people see
 * what is wrong and can try again, instead of waiting for silent retries.
 */
export function createQueryClient() {
  return new QueryClient({
    defaultOptions: {
      // An offline browser gets a failure that says so. Without this, the page would load forever.
      queries: { retry: false, networkMode: 'always', refetchOnReconnect: true },
      mutations: { networkMode: 'always' },
    },
  })
}
