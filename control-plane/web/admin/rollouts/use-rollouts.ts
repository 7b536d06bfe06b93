import { useLiveQuery } from '../../live/live-query.ts'
import { adminApi } from '../admin-api.ts'

/** A page of the rollouts, newest first, kept current: the newest, or from a cursor on. */
export const useRollouts = (cursor?: string) =>
  useLiveQuery({
    queryKey: ['admin', 'rollouts', cursor],
    queryFn: ({ signal }) => adminApi.listRollouts(cursor, signal),
    every: () => 2000,
  })
