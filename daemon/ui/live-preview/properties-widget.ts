import { WidgetType, type EditorView } from '@codemirror/view'
import { frontMatterNames } from './front-matter-names.ts'

/** The front matter of a note while the cursor is outside it: the names of its properties on one line. */
class PropertiesWidget extends WidgetType {
  readonly #names: string

  constructor(names: string) {
    super()
    this.#names = names
  }

  override eq(other: PropertiesWidget): boolean {
    return other.#names === this.#names
  }

  override toDOM(view: EditorView): HTMLElement {
    const line = document.createElement('div')
    line.className = 'cm-properties'
    const heading = document.createElement('b')
    heading.textContent = 'Properties'
    line.append(heading, ` ${this.#names}`)
    line.addEventListener('mousedown', (event) => {
      event.preventDefault()
      enter(view, view.posAtDOM(line))
    })
    return line
  }

  override ignoreEvent(): boolean {
    return true
  }
}

/**
 * Puts the cursor on the first property, which shows the YAML. By default the editor would put it after the front
 * matter.
 */
function enter(view: EditorView, at: number): void {
  const { doc } = view.state
  view.dispatch({ selection: { anchor: Math.min(doc.lineAt(at).to + 1, doc.length) }, scrollIntoView: true })
  view.focus()
}

/** The widget for a front matter; undefined for one that is not closed yet. */
export function propertiesWidget(source: string): PropertiesWidget | undefined {
  const names = frontMatterNames(source)
  return names && new PropertiesWidget(names.join(', '))
}
