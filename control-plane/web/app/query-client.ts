import { notifyManager, QueryClient } from '@tanstack/react-query'

// Notifies observers before a refetch resolves, so that a navigation after it sees the new state.
notifyManager.setScheduler(queueMicrotask)

/**
 * Everything that was read from the API. A failure shows at once, and what is known stays beside it: people see what is
 * wrong and can try again, instead of a page that waits through silent retries.
 */
export function createQueryClient() {
  return new QueryClient({
    defaultOptions: {
      // An offline browser gets a failure that says so, instead of a page that loads forever.
      queries: { retry: false, networkMode: 'always', refetchOnReconnect: true },
      mutations: { networkMode: 'always' },
    },
  })
}
