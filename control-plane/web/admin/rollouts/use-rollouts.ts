import { useLiveQuery } from '../../live/live-query.ts'
import { adminApi } from '../admin-api.ts'

/** The rollouts, newest first, kept current. */
export const useRollouts = () =>
  useLiveQuery({
    queryKey: ['admin', 'rollouts'],
    queryFn: ({ signal }) => adminApi.listRollouts(signal),
    every: () => 2000,
  })
