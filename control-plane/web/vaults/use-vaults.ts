import { api } from '../api.ts'
import { useLiveQuery } from '../live/live-query.ts'
import { refreshAfter } from './vault-states.ts'

/** Every vault of the person, by organization; one list for all pages that show a part of it. */
export const useVaults = () =>
  useLiveQuery({
    queryKey: ['vaults'],
    queryFn: ({ signal }) => api.listVaults(signal),
    every: (known) => (known === undefined ? 5000 : refreshAfter(known)),
    isWatched: (known) => known?.some(({ state }) => state === 'available') === true,
  })
