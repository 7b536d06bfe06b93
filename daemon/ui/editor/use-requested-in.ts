import { useLayoutEffect, useRef, type RefObject } from 'react'
import { useVault } from '../vaults/vault-context.ts'

/** What had the focus when the note was requested for editing, and the text in it. */
export type RequestedIn = { field: Element | null; value: string | undefined } | undefined

/** Remembers what has the focus when a note is requested for editing, or the editor for an open note. */
export function useRequestedIn(path: string): RefObject<RequestedIn> {
  const { mode } = useVault()
  const requestedIn = useRef<RequestedIn>(undefined)
  // Before the effects of the editor, which may already be loaded.
  useLayoutEffect(() => {
    const field = document.activeElement as HTMLInputElement | null
    requestedIn.current = mode === 'source' ? { field, value: field?.value } : undefined
    // eslint-disable-next-line react/exhaustive-effect-dependencies -- each note is requested anew
  }, [path, mode])
  return requestedIn
}
