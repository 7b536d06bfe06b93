/** What a link names: a file, a heading path or `^block` of it, and the text to show instead. */
export type LinkTarget = { target: string; fragment?: string; shown?: string }

/** Parses the inside of `[[…]]`: `Note#Heading|shown`. A `\|`, as tables need it, separates too. */
export function wikiTarget(inside: string): LinkTarget {
  const bar = inside.indexOf('|')
  const shown = bar === -1 ? '' : inside.slice(bar + 1).trim()
  const before = bar === -1 ? inside : inside.slice(0, bar)
  const place = bar !== -1 && before.endsWith('\\') ? before.slice(0, -1) : before
  return { ...splitFragment(place), ...(shown !== '' && { shown }) }
}

/** Parses the address of a Markdown link; undefined if it leads out of the vault. */
export function addressTarget(address: string): LinkTarget | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('//')) return undefined
  const { target, fragment } = splitFragment(address)
  const query = target.indexOf('?')
  const path = decoded(query === -1 ? target : target.slice(0, query))
  if (path.includes('\0') || !path.isWellFormed()) return undefined
  return { target: path, ...(fragment !== undefined && { fragment: decoded(fragment) }) }
}

function splitFragment(place: string): LinkTarget {
  const hash = place.indexOf('#')
  if (hash === -1) return { target: place.trim() }
  const fragment = place.slice(hash + 1).trim()
  return { target: place.slice(0, hash).trim(), ...(fragment !== '' && { fragment }) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
