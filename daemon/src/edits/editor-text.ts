const BOM = '\uFEFF'

/** A file's text without its byte order mark. */
export const withoutBom = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text)

/** A file's text as editors use it: no byte order mark, every line ended by `\n`. Pure. */
export function toEditorText(file: string): string {
  const text = withoutBom(file)
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}
