import { WidgetType, type EditorView } from '@codemirror/view'
import { calloutIcon } from '../callouts/callout-icons.tsx'

/** The dot of a list. */
class BulletWidget extends WidgetType {
  override eq(): boolean {
    return true
  }

  override toDOM(): HTMLElement {
    const dot = document.createElement('span')
    dot.className = 'cm-bullet'
    dot.textContent = '•'
    return dot
  }

  override ignoreEvent(): boolean {
    return false
  }
}

/** A line across the page. */
class RuleWidget extends WidgetType {
  override eq(): boolean {
    return true
  }

  override toDOM(): HTMLElement {
    const rule = document.createElement('span')
    rule.className = 'cm-rule'
    rule.setAttribute('role', 'separator')
    return rule
  }

  override ignoreEvent(): boolean {
    return false
  }
}

export const bullet = new BulletWidget()
export const rule = new RuleWidget()

/** The box of a task; a click ticks it. */
export class TaskWidget extends WidgetType {
  readonly #mark: string

  constructor(mark: string) {
    super()
    this.#mark = mark
  }

  override eq(other: TaskWidget): boolean {
    return other.#mark === this.#mark
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = document.createElement('input')
    box.type = 'checkbox'
    box.className = 'task-box'
    box.checked = this.#mark !== ' '
    box.setAttribute('aria-label', 'Done')
    box.addEventListener('click', (event) => {
      event.preventDefault()
      const at = view.posAtDOM(box) + 1
      view.dispatch({
        changes: { from: at, to: at + 1, insert: this.#mark === ' ' ? 'x' : ' ' },
        userEvent: 'input',
      })
    })
    return box
  }

  override ignoreEvent(): boolean {
    return true
  }
}

/** The beginning of a callout: its icon, and its kind if it has no title. */
export class CalloutWidget extends WidgetType {
  readonly #look: string
  readonly #name: string

  constructor(look: string, name: string) {
    super()
    this.#look = look
    this.#name = name
  }

  override eq(other: CalloutWidget): boolean {
    return other.#look === this.#look && other.#name === this.#name
  }

  override toDOM(): HTMLElement {
    const head = document.createElement('span')
    head.className = 'cm-callout-head'
    head.append(calloutIcon(this.#look), this.#name)
    return head
  }

  override ignoreEvent(): boolean {
    return false
  }
}
