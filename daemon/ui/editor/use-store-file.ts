import { useMemo } from 'react'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { canBeRead, UNREADABLE } from '../api/can-be-read.ts'
import type { DaemonClient } from '../api/daemon-client.ts'
import { asRefusal } from '../api/refusal.ts'
import { reasonOf } from '../app/failure-text.ts'
import { useLatest } from '../app/use-latest.ts'
import { useServices } from '../app/services.ts'
import { isNoteName, type LinkIndex } from '../links/link-index.ts'
import { embedOf, linkToNew } from '../links/link-to-file.ts'
import { useVault, type OpenVault } from '../vaults/vault-context.ts'
import { attachmentName } from './attachment-name.ts'
import type { StoreFile } from './take-files.ts'

const MAX_BYTES = 1024 ** 3

type Deps = Pick<OpenVault, 'sessions' | 'refreshTree' | 'announce'> & {
  client: DaemonClient
  vaultId: string
  /** The path of the note, which may be moved while a file is stored, and what the vault has now. */
  place: () => { index: LinkIndex; path: string }
}

/**
 * Stores files that are put into a note, and reports progress and failures. A Markdown file becomes a note that is
 * linked, any other file an attachment that is embedded.
 */
export function fileStore({ client, vaultId, sessions, refreshTree, announce, place }: Deps): StoreFile {
  return async (file, put) => {
    if (file.size > MAX_BYTES) return void announce(`“${file.name}” is larger than 1 GB, which is the limit.`)
    const target = attachmentName(place(), file.name, systemClock.now())
    announce(`Storing “${file.name}”…`)
    // A note that is left meanwhile stays open until the file is embedded in it.
    const session = sessions.find(place().path)
    if (session) sessions.enter(session)
    try {
      if (!(await canBeRead(file))) return void announce(`“${file.name}” ${UNREADABLE}.`)
      const ref = { vaultId, path: target }
      if (isNoteName(target)) await client.createNote(ref, file)
      else await client.createAttachment(ref, file)
      put(isNoteName(target) ? linkToNew(target, place()) : embedOf(target, place().path))
      refreshTree()
      announce(`Stored as ${target}`)
    } catch (thrown) {
      announce(`“${file.name}” was not stored: ${reasonOf(asRefusal(thrown))}`)
    } finally {
      if (session) sessions.leave(session)
    }
  }
}

/** Stores files that are put into the note at `path`. */
export function useStoreFile(path: string): StoreFile {
  const { client } = useServices()
  const { vault, index, sessions, refreshTree, announce } = useVault()
  const latest = useLatest({ index, path })

  return useMemo(
    () => fileStore({ client, vaultId: vault.id, sessions, refreshTree, announce, place: () => latest.current }),
    [client, vault.id, sessions, latest, refreshTree, announce],
  )
}
