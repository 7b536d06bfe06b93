import { EditorView, ViewPlugin } from '@codemirror/view'
import type { LiveLink } from '../live/live-link.ts'
import { keptPlace } from './kept-place.ts'

/** Stores a file in the vault, and passes the text that embeds it to `put` if that succeeded. Never rejects. */
export type StoreFile = (file: File, put: (embed: string) => void) => Promise<void>

/** Stores pasted and dropped files in the vault, and inserts their embeds where the files were pasted or dropped. */
export function takeFiles({ link, store }: { link: LiveLink; store: StoreFile }) {
  const take = (view: EditorView, files: readonly File[], at: number) => {
    for (const file of files) {
      const place = keptPlace(link, at)
      const put = (embed: string) => {
        const insert = `${embed}\n`
        // An editor that was left no longer sends what is put into it.
        if (!view.dom.isConnected) return place.insert(insert)
        view.dispatch({ changes: { from: place.at(), insert }, userEvent: 'input.paste' })
      }
      void store(file, put).finally(place.stop)
    }
  }

  const drop = (event: DragEvent, view: EditorView, at: number): boolean => {
    const files = filesOf(event.dataTransfer)
    if (files.length === 0 || view.state.readOnly) return false
    event.preventDefault()
    take(view, files, at)
    return true
  }

  /** The editor ignores events in drawn tables and properties. Left alone, the browser would open the file. */
  const dropsOnDrawn = ViewPlugin.define((view) => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') && !view.state.readOnly) event.preventDefault()
    }
    const dropped = (event: DragEvent) => {
      if (!event.defaultPrevented) drop(event, view, besideDrawn(view, event))
    }
    view.scrollDOM.addEventListener('dragover', over)
    view.scrollDOM.addEventListener('drop', dropped)
    return {
      destroy: () => {
        view.scrollDOM.removeEventListener('dragover', over)
        view.scrollDOM.removeEventListener('drop', dropped)
      },
    }
  })

  const paste = (event: ClipboardEvent, view: EditorView): boolean => {
    const files = filesOf(event.clipboardData)
    if (files.length === 0 || view.state.readOnly || hasTextOfItsOwn(event.clipboardData!)) return false
    event.preventDefault()
    take(view, files, view.state.selection.main.head)
    return true
  }

  return [
    EditorView.domEventHandlers({ paste, drop: (event, view) => drop(event, view, pointed(view, event)) }),
    dropsOnDrawn,
  ]
}

const pointed = (view: EditorView, { clientX: x, clientY: y }: DragEvent): number =>
  view.posAtCoords({ x, y }) ?? view.state.selection.main.head

/** Before a drawn table, because a line right after it would be a row of it; after drawn properties. */
function besideDrawn(view: EditorView, event: DragEvent): number {
  const { target } = event
  if (!(target instanceof Element) || !view.contentDOM.contains(target)) return pointed(view, event)
  const { from, to } = view.lineBlockAt(view.posAtDOM(target))
  return target.closest('.cm-properties') ? Math.min(to + 1, view.state.doc.length) : from
}

const filesOf = (data: DataTransfer | null): File[] => [...(data?.files ?? [])]

/**
 * Whether copied data has text besides files. A table copied from a spreadsheet comes as text and as a picture: take the
 * text. A file copied in a file manager comes with its name or path as text: take the file.
 */
export function hasTextOfItsOwn(data: Pick<DataTransfer, 'types' | 'files' | 'getData'>): boolean {
  if (!data.types.includes('text/plain')) return false
  if (data.types.includes('text/html') || data.types.includes('text/rtf')) return true
  const names = new Set([...data.files].map(({ name }) => name.normalize('NFC')))
  const lines = data.getData('text/plain').split(/[\r\n]+/)
  return lines.some((line) => line !== '' && !names.has(line.slice(line.lastIndexOf('/') + 1).normalize('NFC')))
}
