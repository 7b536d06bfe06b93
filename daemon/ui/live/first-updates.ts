import type { ChangeSet } from '@codemirror/state'
import type { LiveChanges } from '@svc/shared/wire/daemon/live-messages.ts'

/** What one push may hold. A single larger update is sent alone. */
export type Batch = { updates: number; characters: number; sections: number }

/** The first of the pending changes, as many as one push may hold. */
export function firstUpdates(pending: readonly ChangeSet[], most: Batch): LiveChanges[] {
  const updates: LiveChanges[] = []
  let characters = 0
  let sections = 0
  for (const changes of pending) {
    const json = changes.toJSON() as LiveChanges
    characters += JSON.stringify(json).length
    sections += json.length
    const isFull = updates.length === most.updates || characters > most.characters || sections > most.sections
    if (updates.length > 0 && isFull) break
    updates.push(json)
  }
  return updates
}
