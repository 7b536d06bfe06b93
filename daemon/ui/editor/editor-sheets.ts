import callouts from '../styles/callouts.css?inline'
import diagram from '../styles/diagram.css?inline'
import preview from '../styles/live-preview.css?inline'
import pdf from '../styles/pdf.css?inline'
import reading from '../styles/reading.css?inline'
import tables from '../styles/tables.css?inline'

let sheet: CSSStyleSheet | undefined

/**
 * Brings the styles of rendered notes into the editor's shadow root, which the style sheets of the page do not reach.
 */
export function adoptSheets(root: ShadowRoot): void {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync([reading, callouts, diagram, pdf, preview, tables].join('\n'))
  }
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
