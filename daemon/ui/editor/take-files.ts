import { StateEffect, StateField } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** Stores a file in the vault; returns the text that embeds it, or undefined when it could not be stored. */
export type StoreFile = (file: File) => Promise<string | undefined>

const begun = StateEffect.define<{ id: number; at: number }>()
const done = StateEffect.define<number>()

/** The position for the embed of each upload in progress. It moves when text before it changes. */
const places = StateField.define<ReadonlyMap<number, number>>({
  create: () => new Map(),
  update(now, transaction) {
    const next = new Map([...now].map(([id, at]) => [id, transaction.changes.mapPos(at, 1)]))
    for (const effect of transaction.effects) {
      if (effect.is(begun)) next.set(effect.value.id, effect.value.at)
      if (effect.is(done)) next.delete(effect.value)
    }
    return next
  },
})

/** Stores pasted and dropped files in the vault, and inserts their embeds where the files were pasted or dropped. */
export function takeFiles(store: StoreFile) {
  let last = 0
  const take = (view: EditorView, files: readonly File[], at: number) => {
    for (const file of files) {
      const id = ++last
      view.dispatch({ effects: begun.of({ id, at }) })
      void store(file).then((embed) => {
        const place = view.state.field(places).get(id)
        const insert = embed === undefined || place === undefined ? '' : `${embed}\n`
        view.dispatch({
          effects: done.of(id),
          ...(insert !== '' && { changes: { from: place!, insert }, userEvent: 'input.paste' }),
        })
      })
    }
  }

  const handlers = EditorView.domEventHandlers({
    paste: (event, view) => {
      const files = filesOf(event.clipboardData)
      // A table copied from a spreadsheet comes as text and as a picture: take the text.
      if (files.length === 0 || view.state.readOnly || event.clipboardData?.types.includes('text/plain')) return false
      event.preventDefault()
      take(view, files, view.state.selection.main.head)
      return true
    },
    drop: (event, view) => {
      const files = filesOf(event.dataTransfer)
      if (files.length === 0 || view.state.readOnly) return false
      event.preventDefault()
      take(view, files, view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head)
      return true
    },
  })
  return [places, handlers]
}

const filesOf = (data: DataTransfer | null): File[] => [...(data?.files ?? [])]
