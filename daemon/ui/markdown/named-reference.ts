import { decodeNamedCharacterReference } from 'decode-named-character-reference'

/**
 * The text of a reference such as `&copy;`; a name that HTML does not know stays as it is. The build gives this to the
 * Markdown parser instead of a table of all 2,125 names, because the browser has that table.
 */
export const decodeHTMLStrict = (reference: string): string =>
  decodeNamedCharacterReference(reference.slice(1, -1)) || reference
