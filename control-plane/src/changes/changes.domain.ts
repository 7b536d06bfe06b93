import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import { createChangeStreams, type ChangeStreamsDeps } from './change-streams.ts'
import { changesRepository } from './changes.repository.ts'
import { eventsRoutes } from './events.routes.ts'

type Deps = Omit<ChangeStreamsDeps, 'changes'> & { db: Db }

type RouteDeps = { guards: Guards; hasTwoFactor: ((userId: string) => Promise<boolean>) | undefined }

/** Notifies browsers of the changes that their person may see. */
export function createChanges({ db, ...deps }: Deps) {
  const changes = changesRepository(db, deps.clock)
  const streams = createChangeStreams({ changes, ...deps })

  return {
    presenceChanged: streams.presenceChanged,
    endStreams: streams.endAll,
    deleteOld: changes.deleteOld,
    close: streams.close,
    routes: ({ guards, hasTwoFactor }: RouteDeps) => {
      const mayAdminister = async (userId: string) =>
        (await guards.isSystemAdmin(userId)) && (hasTwoFactor === undefined || (await hasTwoFactor(userId)))
      return eventsRoutes({ guards, streams, mayAdminister })
    },
  }
}
