import type { TextChanged } from './live-view.ts'

type Listener = () => void
type Editor = (change: TextChanged) => void

/** The parts of the page that follow one live note: screens follow its view, editors follow changes of its text. */
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
    textChanged: (change: TextChanged) => {
      if (!change.changes.empty) for (const editor of editors) editor(change)
    },
  }
}
