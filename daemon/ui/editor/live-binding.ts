import { EditorView, type ViewUpdate } from '@codemirror/view'
import type { LiveLink } from '../live/live-link.ts'
import type { TextChanged } from '../live/live-view.ts'
import type { EditorMemory } from '../saving/note-session.ts'
import { writesAt } from './carets.ts'
import { showCarets } from './remote-carets.ts'
import { broughtIn, isElsewhere } from './text-origin.ts'

type Options = {
  link: LiveLink
  memory: EditorMemory
  /** The editor may no longer show the live text. It must be created again. */
  onTornApart: () => void
}

/**
 * Connects an editor to the live text of its note. `sends` is an extension that sends the editor's changes and cursor.
 * `follow` applies changes of the live text, and the carets of others, to the editor, and returns a function that ends
 * this. From then on, changes are applied to the saved state of the editor, so that the editor can be shown again
 * later.
 */
export function liveBinding({ link, memory, onTornApart }: Options) {
  let receive: (change: TextChanged) => void = () => {}

  /**
   * An error in an editor may leave its text out of step with the live text. Every later change would then fail or go
   * to a wrong place.
   */
  const guarded = (act: () => void) => {
    try {
      act()
    } catch (error) {
      reportError(error)
      onTornApart()
    }
  }

  const sendsEdits = EditorView.updateListener.of((update: ViewUpdate) => {
    for (const transaction of update.transactions)
      if (transaction.docChanged && !isElsewhere(transaction)) guarded(() => link.edit(transaction.changes, receive))
    if ((update.selectionSet || update.docChanged || update.focusChanged) && update.view.hasFocus) {
      const { anchor, head } = update.state.selection.main
      link.cursor(anchor, head)
    }
  })

  const sends = [sendsEdits, writesAt.of(link.cursor)]

  const follow = (view: EditorView): (() => void) => {
    memory.stop()
    receive = (change) => guarded(() => view.dispatch(broughtIn(change)))
    const stopText = link.follow(receive)
    let shown = link.current().presence
    const stopCarets = link.subscribe(() => {
      const { presence, you } = link.current()
      if (presence === shown) return
      shown = presence
      guarded(() => view.dispatch(showCarets(presence, you)))
    })
    view.dispatch(showCarets(shown, link.current().you))

    return () => {
      stopText()
      stopCarets()
      memory.state = view.state
      memory.stop = link.follow((change) => {
        // Discard a saved state that is out of step with the live text.
        const isCurrent = memory.state?.doc.length === change.changes.length
        memory.state = isCurrent ? memory.state?.update(broughtIn(change)).state : undefined
      })
    }
  }

  return { sends, follow }
}
