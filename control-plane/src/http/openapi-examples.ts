/** A JSON schema, as far as examples are made from it. */
export type JsonSchema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  format?: string
  pattern?: string
  minLength?: number
  minimum?: number
  exclusiveMinimum?: number
  minItems?: number
}

type Content = Record<string, { schema?: JsonSchema; example?: unknown }>
type Operation = {
  parameters?: { name: string; schema?: JsonSchema; example?: unknown }[]
  requestBody?: { content?: Content }
  responses?: Record<string, { content?: Content }>
}
export type Document = { paths?: Record<string, Record<string, Operation>> }

/** What a field of this name may hold. A value is used where it fits the schema. */
const byName: Record<string, unknown> = {
  email: 'ada@example.org',
  confirmation: 'ada@example.org',
  name: 'Ada Example',
  displayName: 'Meeting notes',
  domain: 'example.org',
  reason: 'Asked for by the owner.',
  password: 'correct horse battery staple',
  newPassword: 'battery staple correct horse',
  currentPassword: 'correct horse battery staple',
  code: '492039',
  callbackURL: '/vaults',
  path: '/vaults',
  redirect_uri: 'https://example.org/callback',
  size: '5Gi',
  image: 'registry.example.net/svcd:1.2.0',
}
/** Texts for the patterns of ids and names. The first that fits a pattern is used. */
const texts = [
  'org_k5x2m7q3w6r4t2y5u3i7o2pa',
  'usr_a2b3c4d5e6f7g2h3i4j5k6l7',
  'dmn_q7w6e5r4t3y2u7i6o5p4a3s2',
  'inv_m2n3b4v5c6x7z2l3k4j5h6g7',
  'agt_m2n3b4v5c6x7z2l3k4j5h6g7',
  'int_m2n3b4v5c6x7z2l3k4j5h6g7',
  'rol_m2n3b4v5c6x7z2l3k4j5h6g7',
  'bak_20300131120000k5x2m7q3w6',
  'acme-notes',
  'invitation_sent',
  '22:00',
  'roll-2030-01-31.1',
  '5Gi',
  'A3f9',
  '/vaults',
  'registry.example.net/svcd:1.2.0',
  `registry.example.net/svcd@sha256:${'0'.repeat(64)}`,
  '0'.repeat(64),
]
const byFormat: Record<string, string> = {
  'date-time': '2030-01-31T12:00:00.000Z',
  email: 'ada@example.org',
  uri: 'https://example.org/',
  uuid: '0b8f1a52-6c1e-4d0a-9f57-3a5d2c7b9e10',
}
const TEXT = 'an example of a text'

/** Gives every parameter, body and JSON response of the document an example made from its schema. */
export function addExamples(document: Document): Document {
  const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods))
  for (const { parameters = [], requestBody, responses = {} } of operations) {
    for (const parameter of parameters)
      if (parameter.schema !== undefined) parameter.example ??= exampleOf(parameter.schema, parameter.name)
    for (const { content } of [requestBody ?? {}, ...Object.values(responses)])
      for (const media of Object.values(content ?? {}))
        if (media.schema !== undefined) media.example ??= exampleOf(media.schema)
  }
  return document
}

/** A value of a schema. */
function exampleOf(schema: JsonSchema, name = ''): unknown {
  const ready = [schema.const, schema.examples?.[0], schema.enum?.[0], schema.default]
  // An empty default says that there may be nothing, which is no example.
  const given = ready.find((value) => value !== undefined && value !== '')
  if (given !== undefined) return given
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null')
  if (choice !== undefined) return exampleOf(choice, name)
  if (schema.allOf !== undefined) return exampleOf(mergeAll(schema.allOf), name)
  const type = [schema.type].flat().find((one) => one !== 'null')
  switch (type) {
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, of]) => [key, exampleOf(of, key)]))
    case 'array':
      return Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () => exampleOf(schema.items ?? {}, name))
    case 'integer':
    case 'number':
      return schema.minimum ?? (schema.exclusiveMinimum === undefined ? 1 : schema.exclusiveMinimum + 1)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return type === 'string' ? textOf(schema, name) : (byName[name] ?? {})
  }
}

function textOf({ format, pattern, minLength = 0 }: JsonSchema, name: string): string {
  const known = format === undefined ? undefined : byFormat[format]
  if (known !== undefined) return known
  const named = byName[name]
  const candidates = [...(typeof named === 'string' ? [named] : []), ...(pattern === undefined ? [TEXT] : texts)]
  const isRight = pattern === undefined ? () => true : (text: string) => new RegExp(pattern, 'u').test(text)
  const found = candidates.find((text) => text.length >= minLength && isRight(text))
  return found ?? TEXT.padEnd(minLength, '.')
}

const mergeAll = (all: JsonSchema[]): JsonSchema => ({
  type: 'object',
  properties: Object.assign({}, ...all.map(({ properties }) => properties ?? {})) as Record<string, JsonSchema>,
})
