/** The parts of a wiki link: `Note#Heading|alias`, `Note#^block`, `#Heading`. */
export type LinkTarget = { target: string; heading?: string; block?: string; alias?: string }

/** Parses the inside of a wiki link. `\|`, as tables need it, separates too. */
export function parseLinkTarget(inside: string): LinkTarget {
  const bar = inside.search(/\\?\|/)
  const place = bar === -1 ? inside : inside.slice(0, bar)
  const alias = bar === -1 ? '' : inside.slice(inside.indexOf('|', bar) + 1).trim()
  const hash = place.indexOf('#')
  const target = (hash === -1 ? place : place.slice(0, hash)).trim()
  const fragment = hash === -1 ? '' : place.slice(hash + 1).trim()
  return {
    target,
    ...(fragment.startsWith('^') ? { block: fragment.slice(1) } : fragment !== '' && { heading: fragment }),
    ...(alias !== '' && { alias }),
  }
}

/** The text that the screen shows for a link without an alias. */
export function linkLabel({ target, heading, block, alias }: LinkTarget): string {
  if (alias !== undefined) return alias
  const place = heading?.split('#').join(' › ') ?? (block === undefined ? '' : `^${block}`)
  if (target === '') return place
  return place === '' ? target : `${target} › ${place}`
}
