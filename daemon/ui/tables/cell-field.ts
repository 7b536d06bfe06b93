import { cellSource } from './table-model.ts'

/** The position of the caret in the field. From an edge, an arrow key leads to the next cell. */
export type CellCaret = { isAtStart: boolean; isAtEnd: boolean; isOnFirstLine: boolean; isOnLastLine: boolean }

/**
 * The text field of the edited cell. An invisible element behind it has the same text: this gives the cell the size of
 * its text, and shows which screen line the caret is on.
 */
export function cellField() {
  const field = document.createElement('textarea')
  field.className = 'cm-cell-field'
  field.rows = 1
  field.spellcheck = true
  const behind = document.createElement('span')
  behind.className = 'cm-cell-behind'
  behind.setAttribute('aria-hidden', 'true')
  let isMoving = false

  const grow = () => {
    behind.textContent = `${field.value}\u200B`
  }
  const fill = (text: string) => {
    field.value = text
    grow()
  }

  /** Whether the caret is on the same screen line as a position of the text. */
  const isLevelWith = (at: number): boolean => {
    const node = behind.firstChild
    if (!node) return true
    const top = (offset: number) => {
      const range = document.createRange()
      range.setStart(node, Math.min(offset, node.textContent!.length - 1))
      range.setEnd(node, Math.min(offset + 1, node.textContent!.length))
      return range.getBoundingClientRect().top
    }
    return Math.abs(top(field.selectionStart) - top(at)) < 2
  }

  return {
    enter: (
      cell: HTMLElement,
      { text, label, caret }: { text: string; label: string; caret: 'start' | 'end' | 'all' },
    ) => {
      isMoving = true
      if (field.parentElement !== cell) {
        field.parentElement?.classList.remove('cm-cell-edited')
        cell.classList.add('cm-cell-edited')
        cell.append(behind, field)
      }
      fill(text)
      field.setAttribute('aria-label', label)
      field.focus()
      isMoving = false
      const end = caret === 'start' ? 0 : text.length
      field.setSelectionRange(caret === 'all' ? 0 : end, end)
    },
    leave: () => {
      isMoving = true
      field.parentElement?.classList.remove('cm-cell-edited')
      field.remove()
      behind.remove()
      isMoving = false
    },
    /**
     * Updates the field to the cell's current text. Typed blanks at the end are kept, and the caret keeps its place.
     */
    keep: (text: string) => {
      if (cellSource(field.value) === cellSource(text)) return
      const { value, selectionStart, selectionEnd } = field
      const moved = mover(value, text)
      fill(text)
      field.setSelectionRange(moved(selectionStart), moved(selectionEnd))
    },
    isIn: (element: EventTarget | null) =>
      element === field || (element instanceof Node && element === field.parentElement),
    isMoving: () => isMoving,
    beforeCaret: (): string => field.value.slice(0, field.selectionStart),
    putCaret: (at: number) => field.setSelectionRange(at, at),
    caret: (): CellCaret => {
      const { selectionStart, selectionEnd, value } = field
      const isOne = selectionStart === selectionEnd
      return {
        isAtStart: isOne && selectionStart === 0,
        isAtEnd: isOne && selectionEnd === value.length,
        isOnFirstLine: isLevelWith(0),
        isOnLastLine: isLevelWith(value.length),
      }
    },
    onInput: (run: (value: string) => void) =>
      field.addEventListener('input', () => {
        grow()
        run(field.value)
      }),
    /** Calls `run` after each move of the caret, including moves by typing and by entering the cell. */
    onCaret: (run: (caret: { value: string; start: number; end: number }) => void) => {
      // A cell may be entered while the editor draws. At that moment the editor does not know the positions of its
      // tables.
      const moved = () =>
        queueMicrotask(() => {
          const { isConnected, value, selectionStart: start, selectionEnd: end } = field
          if (isConnected) run({ value, start, end })
        })
      for (const type of ['focus', 'input', 'keyup', 'pointerup']) field.addEventListener(type, moved)
    },
    onKey: (run: (event: KeyboardEvent) => void) => field.addEventListener('keydown', run),
  }
}

/** Maps positions in a text to the text that replaced it. */
function mover(before: string, after: string): (at: number) => number {
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  return (at) => (at <= start ? at : Math.max(start, after.length - (before.length - at)))
}
