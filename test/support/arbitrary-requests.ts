import fc from 'fast-check'

/** The part of a JSON schema of the OpenAPI document that values are generated from. */
type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

/** The part of an operation of the document that requests are generated from. */
export type DocumentedOperation = {
  method: string
  path: string
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> }
}

/** Real values by the name of a parameter or field, so that requests pass the first checks. */
export type Words = Record<string, readonly string[]>

export type GeneratedRequest = {
  method: string
  path: string
  contentType: string | undefined
  body: string | undefined
}

/** Values that no schema allows, and values that programs often fail on. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    -1,
    1e308,
    2 ** 53,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '../../etc/passwd',
    "' or 1=1 --",
    '{{7*7}}',
    '%00',
    'x'.repeat(5_000),
    '\u202e\u0301🜁',
  ),
  fc.constantFrom(
    [],
    {},
    [[[[]]]],
    { __proto__: null },
    JSON.parse('{"__proto__":{"polluted":true}}'),
    JSON.parse('{"constructor":{"prototype":1}}'),
  ),
  fc.string(),
  fc.double(),
  fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text) as unknown),
)

/** Requests of an operation: mostly as its schema says, with real ids among them, and sometimes with an odd value. */
export function requestsOf(operation: DocumentedOperation, words: Words): fc.Arbitrary<GeneratedRequest> {
  const { method, path, parameters = [], requestBody } = operation
  const places = Object.fromEntries(
    parameters.map(({ in: place, name, schema }) => [`${place} ${name}`, oddly(valuesOf(schema, words, name), 12)]),
  )
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const schema = media?.schema
  const bodies =
    schema === undefined
      ? fc.constant(undefined)
      : oddly(fc.oneof(valuesOf(schema, words), fc.constant(media?.example)), 12)
  return fc
    .record({ places: fc.record(places), body: bodies, broken: fc.nat({ max: 40 }) })
    .map(({ places: given, body, broken }) => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
        encodeURIComponent(texty(given[`path ${name}`])),
      )
      const query = parameters
        .filter(
          ({ in: place, name, required }) =>
            place === 'query' && (required || texty(given[`query ${name}`]).length % 2 === 0),
        )
        .map(({ name }) => `${name}=${encodeURIComponent(texty(given[`query ${name}`]))}`)
      const text = body === undefined ? undefined : encode(body, type)
      return {
        method,
        path: filled + (query.length > 0 ? `?${query.join('&')}` : ''),
        contentType: text === undefined ? undefined : broken === 1 ? 'text/plain' : type,
        body: broken === 0 ? `${text ?? ''}}` : text,
      }
    })
}

const texty = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed().slice(0, 600)

function encode(body: unknown, type = 'application/json'): string {
  if (type !== 'application/x-www-form-urlencoded') return JSON.stringify(body)
  const fields = Object.entries((body ?? {}) as object).map(([name, value]) => [name, texty(value)])
  return new URLSearchParams(fields as string[][]).toString()
}

const oddly = (usual: fc.Arbitrary<unknown>, weight: number): fc.Arbitrary<unknown> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd })

function valuesOf(schema: Schema, words: Words, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valuesOf(choice, words, name)))
  const type = [schema.type].flat()[0]
  switch (type) {
    case 'object': {
      const { properties = {}, required = [] } = schema
      const fields = Object.entries(properties).map(([key, of]) => [key, oddly(valuesOf(of, words, key), 30)])
      return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: required })
    }
    case 'array':
      return fc.array(schema.items === undefined ? odd : valuesOf(schema.items, words, name), { maxLength: 4 })
    case 'integer':
    case 'number': {
      const min = Math.max(schema.minimum ?? -1000, -1e9)
      const max = Math.max(min, Math.min(schema.maximum ?? 1000, 1e9))
      return type === 'integer'
        ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
        : fc.double({ min, max, noNaN: true })
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return type === 'string' ? textsOf(schema, words[name] ?? []) : odd
  }
}

/** Texts that match a pattern. The library cannot generate texts for patterns with a lookahead. */
function matching(pattern: string): fc.Arbitrary<string> {
  if (pattern.includes('(?!') || pattern.includes('(?='))
    return fc.webPath().map((path) => `/${path.replace(/^\/+/, '')}`)
  return fc.stringMatching(new RegExp(pattern))
}

function textsOf(
  { pattern, format, minLength = 0, maxLength = 200 }: Schema,
  real: readonly string[],
): fc.Arbitrary<string> {
  const made =
    format === 'date-time'
      ? fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
      : format === 'email'
        ? fc.emailAddress()
        : pattern === undefined
          ? fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 60) })
          : matching(pattern)
  return real.length === 0
    ? made
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...real) }, { weight: 1, arbitrary: made })
}
