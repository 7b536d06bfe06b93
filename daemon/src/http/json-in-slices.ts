import { Readable } from 'node:stream'

/** The type of a JSON response. */
export const JSON_TYPE = 'application/json; charset=utf-8'

// The characters that are written between two pauses.
const PIECE = 16 * 1024

type Pause = () => Promise<void> | undefined

/**
 * The JSON of a value of objects, lists and plain values, as a stream that pauses often, however large the value is, and
 * however long a text in it.
 */
export const jsonInSlices = (value: object, pause: Pause): Readable =>
  Readable.from(textOf(value, pause), { objectMode: false })

async function* textOf(value: object, pause: Pause): AsyncGenerator<string> {
  let text = ''
  for (const piece of piecesOf(value)) {
    text += piece
    if (text.length < PIECE) continue
    yield text
    text = ''
    await pause()
  }
  yield text
}

/** An object without a list or a long text in it is one piece. */
function* piecesOf(value: unknown): Generator<string> {
  if (isLong(value)) {
    yield '"'
    // A pair of surrogates that is cut is escaped in two halves, which make the same pair again.
    for (let at = 0; at < value.length; at += PIECE) yield JSON.stringify(value.slice(at, at + PIECE)).slice(1, -1)
    yield '"'
  } else if (Array.isArray(value)) {
    yield '['
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ','
      yield* piecesOf(item)
    }
    yield ']'
  } else if (hasMany(value)) {
    let before = '{'
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* piecesOf(field)
      before = ','
    }
    yield '}'
  } else yield JSON.stringify(value)
}

const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > PIECE

const hasMany = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.values(value).some((its) => Array.isArray(its) || isLong(its))
