import { isMap, isScalar, parseDocument, type Pair, type YAMLMap } from 'yaml'

/** One value of a chart: its path, its comment, its default and the `@schema` that narrows its type. */
export type ChartValue = {
  path: readonly string[]
  text: string
  initial: unknown
  schema: Record<string, unknown>
}

const KEYWORD = '@schema '

/** Reads the values of a chart, each with the comment above it; a value without a comment is an error. */
export function readValues(text: string): ChartValue[] {
  const document = parseDocument(text)
  if (!isMap(document.contents)) throw new Error('values.yaml must be a map')
  return entriesOf(document.contents, [], document.commentBefore ?? '')
}

function entriesOf(map: YAMLMap, above: readonly string[], first: string): ChartValue[] {
  return map.items.flatMap((pair, index) => {
    const path = [...above, String((pair.key as { value: unknown }).value)]
    const comment = commentOf(pair, index === 0 ? (map.commentBefore ?? first) : '')
    const described = comment.find((line) => line.startsWith('-- '))
    if (described !== undefined) {
      const schema = comment.find((line) => line.startsWith(KEYWORD))
      return [
        {
          path,
          text: described.slice(3),
          initial: plain(pair.value),
          schema: schema === undefined ? {} : (JSON.parse(schema.slice(KEYWORD.length)) as Record<string, unknown>),
        },
      ]
    }
    if (!isMap(pair.value) || pair.value.items.length === 0)
      throw new Error(`values.yaml: ${path.join('.')} has no comment that begins with "# -- "`)
    return entriesOf(pair.value, path, '')
  })
}

// The comment of a map's first key belongs to the map, any other comment to the key below it.
function commentOf({ key }: Pair, ofMap: string): string[] {
  const own = isScalar(key) ? (key.commentBefore ?? '') : ''
  return `${ofMap}\n${own}`.split('\n').map((line) => line.trim())
}

const plain = (node: unknown): unknown => (node as { toJSON(): unknown } | null)?.toJSON() ?? null
