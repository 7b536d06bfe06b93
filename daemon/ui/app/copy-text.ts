/** Copies a text, and tells whether it is copied. Call it in the event of a click or a key. */
export async function copyText(text: string, tell: (said: string) => void): Promise<void> {
  // Over plain http, browsers give a page no clipboard.
  const written = navigator.clipboard?.writeText(text).then(
    () => true,
    () => copySelected(text),
  )
  tell((await (written ?? copySelected(text))) ? 'Copied' : 'Could not be copied')
}

function copySelected(text: string): boolean {
  const host = document.activeElement
  const before = (host?.shadowRoot?.activeElement ?? host) as HTMLElement | null
  const field = document.createElement('textarea')
  field.value = text
  // Phones show no keyboard for it, and the page does not scroll to it.
  field.readOnly = true
  field.style.position = 'fixed'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  before?.focus({ preventScroll: true })
  return isCopied
}
