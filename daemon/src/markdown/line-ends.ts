/** True when every line of a text ends in CRLF, and there is at least one. */
export function endsInCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text)
}

/** Gives new text the line ends of the note it goes into, unless it brings its own. */
export function withLineEndsOf(note: string, added: string): string {
  return endsInCrlf(note) && !added.includes('\r') ? added.replaceAll('\n', '\r\n') : added
}
