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
  /** The editor shows something else than the live text, and has to be made anew. */
  onTornApart: () => void
}

/**
 * Connects an editor to the live text of its note. `sends` is an extension that sends the changes and the cursor of the editor.
 * `follow` applies changes of the live text, and the carets of others, to the editor. The function that `follow`
 * returns ends this; later changes go to the editor's kept state, so that the editor can be shown again as it was.
 */
export function liveBinding({ link, memory, onTornApart }: Options) {
  let receive: (change: TextChanged) => void = () => {}

  /** Whatever fails in an editor may leave it behind the text, and every later change would fail or go to a wrong place. */
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
        // A state that an editor has left behind the text is of no use.
        const isCurrent = memory.state?.doc.length === change.changes.length
        memory.state = isCurrent ? memory.state?.update(broughtIn(change)).state : undefined
      })
    }
  }

  return { sends, follow }
}
