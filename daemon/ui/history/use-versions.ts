import { useState } from 'react'
import type { NoteRef, Revision } from '../api/daemon-client.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { useServices } from '../app/services.ts'

/**
 * The versions of a note, newest first, as far as they were read. Where `hasOlder` is true, the last one is there to be
 * compared with: what it changed itself is known only when the one before it is read.
 */
export type Versions = { revisions: Revision[]; hasOlder: boolean; pages: number }

/** Reads the newest versions of a note, and older ones on request. */
export function useVersions(ref: NoteRef) {
  const { client } = useServices()
  const [pages, setPages] = useState(1)
  const [loaded, reload] = useLoaded(`history ${ref.vaultId} ${ref.path}`, async (signal): Promise<Versions> => {
    // A version that is made between two pages moves the others on: the next page may begin with a known one.
    const found = new Map<string, Revision>()
    let cursor: string | undefined = '0'
    for (let page = 0; page < pages && cursor !== undefined; page++) {
      const { revisions = [], nextCursor } = await client.listRevisions(ref, cursor, signal)
      for (const revision of revisions) found.set(revision.rev, revision)
      cursor = nextCursor
    }
    return { revisions: [...found.values()], hasOlder: cursor !== undefined, pages }
  })
  const isReadingOlder = loaded.state === 'ready' && loaded.value.pages < pages
  const showOlder = () => {
    if (isReadingOlder) return
    setPages(pages + 1)
    reload()
  }
  return { loaded, reload, isReadingOlder, showOlder }
}
