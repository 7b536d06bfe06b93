const DASHES = /^---[ \t]*$/
/** A property's name as YAML writes most of them; others are left out of the line that names them. */
const NAME = /^[^\s:#\-"'{}[\],&*!|>%@`][^:]*(?=:(?:\s|$))/
const MOST_NAMES = 12
const LONGEST_LINE = 200

/**
 * The names of the properties of a front matter with both of its lines of dashes, the first twelve and then `…`; undefined
 * when it is not closed. Pure.
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
