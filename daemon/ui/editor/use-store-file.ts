import { useCallback } from 'react'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { canBeRead, UNREADABLE } from '../api/can-be-read.ts'
import { asRefusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { useLatest } from '../app/use-latest.ts'
import { useServices } from '../app/services.ts'
import { embedOf } from '../links/link-to-file.ts'
import { useVault } from '../vaults/vault-context.ts'
import { attachmentName } from './attachment-name.ts'
import type { StoreFile } from './take-files.ts'

const MAX_BYTES = 1024 ** 3

/** Stores files that are put into a note as attachments of its vault, and reports progress and failures. */
export function useStoreFile(path: string): StoreFile {
  const { client } = useServices()
  const { vault, index, sessions, refreshTree, announce } = useVault()
  const latest = useLatest({ index, path })

  return useCallback<StoreFile>(
    async (file, put) => {
      if (file.size > MAX_BYTES) return void announce(`“${file.name}” is larger than 1 GB, which is the limit.`)
      const target = attachmentName(latest.current, file.name, systemClock.now())
      announce(`Storing “${file.name}”…`)
      // A note that is left meanwhile stays open until the file is embedded in it.
      const session = sessions.find(latest.current.path)
      if (session) sessions.enter(session)
      try {
        if (!(await canBeRead(file))) return void announce(`“${file.name}” ${UNREADABLE}.`)
        await client.createAttachment({ vaultId: vault.id, path: target }, file)
        put(embedOf(target, latest.current.path))
        refreshTree()
        announce(`Stored as ${target}`)
      } catch (thrown) {
        announce(`“${file.name}” was not stored: ${failureText(asRefusal(thrown)).title}`)
      } finally {
        if (session) sessions.leave(session)
      }
    },
    [client, vault.id, sessions, latest, refreshTree, announce],
  )
}
