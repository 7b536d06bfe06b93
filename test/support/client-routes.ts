import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { format, resolveConfig } from 'prettier'

type Schema = JSONSchema
type Content = Record<string, { schema?: Schema }>
type Operation = {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content?: Content }
  responses: Record<string, { content?: Content }>
}
export type OpenApiDocument = { paths: Record<string, Record<string, Operation>> }

const HEAD = `// Generated from the OpenAPI document by \`npm run generate:client\`; a test keeps it equal. Long, because it holds every route.

`

/** Generates TypeScript for clients: the routes of an OpenAPI document that return JSON. */
export async function clientRoutes({ paths }: OpenApiDocument, file: string): Promise<string> {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const schema = routeSchema(operation)
      return schema === undefined ? [] : [[`${method.toUpperCase()} ${path}`, schema] as const]
    }),
  )
  const sorted = routes.toSorted(([a], [b]) => (a < b ? -1 : 1))
  const text = await compile(record(Object.fromEntries(sorted)), 'Routes', {
    bannerComment: '',
    format: false,
    ignoreMinAndMaxItems: true,
  })
  return format(HEAD + text.replace('export interface Routes', 'export type Routes ='), {
    ...(await resolveConfig(file)),
    filepath: file,
  })
}

function routeSchema({ parameters = [], requestBody, responses }: Operation): Schema | undefined {
  const [answer] = Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith('2') ? (jsonOf(content) ?? []) : [],
  )
  if (answer === undefined) return undefined

  const group = (where: string): Schema | undefined => {
    const all = parameters.filter((parameter) => parameter.in === where)
    if (all.length === 0) return undefined
    const required = all.filter((parameter) => parameter.required === true).map(({ name }) => name)
    return record(Object.fromEntries(all.map(({ name, schema }) => [name, typeOnly(schema)])), required)
  }
  const body = jsonOf(requestBody?.content)
  const parts = { params: group('path'), query: group('query'), body: body && typeOnly(body), answer: typeOnly(answer) }
  return record(Object.fromEntries(Object.entries(parts).flatMap(([name, part]) => (part ? [[name, part]] : []))))
}

const jsonOf = (content: Content | undefined): Schema | undefined => content?.['application/json']?.schema

const record = (properties: Record<string, Schema>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** The parts of a schema that determine the type of a value. Patterns, limits and examples are left out. */
function typeOnly(schema: Schema): Schema {
  const { type, properties, items, required, anyOf, oneOf, allOf, additionalProperties } = schema
  const all = (schemas: Schema[] | undefined) => schemas?.map(typeOnly)
  // Clients read and write only named fields. An object without named fields is a map.
  const isTyped = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
  const others = isTyped ? typeOnly(additionalProperties) : properties === undefined
  const parts: Schema = {
    type,
    ...('const' in schema ? { const: schema['const'] as unknown } : {}),
    enum: schema.enum,
    anyOf: all(anyOf),
    oneOf: all(oneOf),
    allOf: all(allOf),
    items: Array.isArray(items) ? all(items) : items && typeOnly(items),
    required: type === 'object' ? required : undefined,
    properties:
      properties && Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, typeOnly(value)])),
    additionalProperties: type === 'object' ? others : undefined,
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}
