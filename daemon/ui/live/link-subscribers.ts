import type { TextChanged } from './live-view.ts'

type Listener = () => void
/** What follows the text: an editor, or the memory of one. */
export type Editor = (change: TextChanged) => void

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
    /** Tells a change to all editors but the one that has made it. */
    textChanged: (change: TextChanged, maker?: Editor) => {
      if (change.changes.empty) return
      for (const editor of editors) if (editor !== maker) editor(change)
    },
  }
}
