import type { EditorState, Range } from '@codemirror/state'
import { Decoration, type WidgetType } from '@codemirror/view'

/** Collects the decorations for a part of the text. */
export type Drawing = ReturnType<typeof drawing>

const hidden = Decoration.replace({})

export function drawing(state: EditorState) {
  const ranges: Range<Decoration>[] = []
  const isOneLine = (from: number, to: number) => from < to && to <= state.doc.lineAt(from).to
  return {
    state,
    ranges,
    hide: (from: number, to: number) => {
      if (isOneLine(from, to)) ranges.push(hidden.range(from, to))
    },
    replace: (from: number, to: number, widget: WidgetType) => {
      if (isOneLine(from, to)) ranges.push(Decoration.replace({ widget }).range(from, to))
    },
    /** Draws a widget after the text, and leaves the text visible. */
    after: (at: number, widget: WidgetType) => void ranges.push(Decoration.widget({ widget, side: 1 }).range(at)),
    mark: (from: number, to: number, name: string) => {
      if (from < to) ranges.push(Decoration.mark({ class: name }).range(from, to))
    },
    /** Adds a class to each line that a part of the text touches. */
    lines: ({ from, to }: { from: number; to: number }, name: string, attributes?: Record<string, string>) => {
      for (let at = from; at <= to;) {
        const line = state.doc.lineAt(at)
        ranges.push(Decoration.line({ class: name, ...(attributes && { attributes }) }).range(line.from))
        at = line.to + 1
      }
    },
  }
}
