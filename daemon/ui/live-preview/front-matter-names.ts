const DASHES = /^---[ \t]*$/
/** A property's name in the usual YAML form. Names in other forms are left out of the list. */
const NAME = /^[^\s:#\-"'{}[\],&*!|>%@`][^:]*(?=:(?:\s|$))/
const MOST_NAMES = 12
const LONGEST_LINE = 200

/**
 * The names of the properties in a front matter that includes both lines of dashes: the first twelve, then `…` if there
 * are more. Undefined if the front matter is not closed. Pure.
 */
export function frontMatterNames(source: string): string[] | undefined {
  const lines = source.split('\n')
  if (lines.length < 2 || !DASHES.test(lines[0]!) || !DASHES.test(lines.at(-1)!)) return undefined
  const names: string[] = []
  for (const line of lines.slice(1, -1)) {
    const name = NAME.exec(line.slice(0, LONGEST_LINE))?.[0].trim()
    if (name === undefined) continue
    if (names.length === MOST_NAMES) return [...names, '…']
    names.push(name)
  }
  return names
}
