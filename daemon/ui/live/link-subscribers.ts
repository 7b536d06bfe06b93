import type { TextChanged } from './live-view.ts'

type Listener = () => void
/** A subscriber of text changes: an editor, or the saved state of one. */
export type Editor = (change: TextChanged) => void

/** The subscribers of one live note: screens follow its view, editors follow changes of its text. */
export function linkSubscribers() {
  const listeners = new Set<Listener>()
  const editors = new Set<Editor>()

  return {
    subscribe: (listener: Listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Calls `editor` with every change that it did not make itself. */
    follow: (editor: Editor) => {
      editors.add(editor)
      return () => void editors.delete(editor)
    },
    viewChanged: () => {
      for (const listener of listeners) listener()
    },
    /** Passes a change to all editors except the one that made it. */
    textChanged: (change: TextChanged, maker?: Editor) => {
      if (change.changes.empty) return
      for (const editor of editors) if (editor !== maker) editor(change)
    },
  }
}
