import { api } from '../api.ts'
import { useLiveQuery } from '../live/live-query.ts'
import { keepVaults } from './keep-vaults.ts'
import { refreshAfter } from './vault-states.ts'

/** Every vault of the person, by organization; one list for all pages that show a part of it. */
export const useVaults = () =>
  useLiveQuery({
    queryKey: ['vaults'],
    queryFn: ({ signal }) => api.listVaults(signal),
    merge: keepVaults,
    every: (known) => (known === undefined ? 5000 : refreshAfter(known)),
    isWatched: (known) => known?.some(({ state }) => state === 'available') === true,
  })
