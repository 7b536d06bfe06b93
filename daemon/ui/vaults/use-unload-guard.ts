import { useEffect } from 'react'
import type { NoteSessions } from '../saving/note-sessions.ts'

/** Asks before the page is closed over text that is in no file yet. */
export function useUnloadGuard(sessions: NoteSessions) {
  useEffect(() => {
    const guard = (event: BeforeUnloadEvent) => {
      if (sessions.unsaved().length > 0) event.preventDefault()
    }
    window.addEventListener('beforeunload', guard)
    return () => window.removeEventListener('beforeunload', guard)
  }, [sessions])
}
