/** The part of an OpenAPI document that describes responses. */
export type OpenApiPaths = Record<string, Record<string, { responses: Record<string, Response> }>>
type Response = { content?: Record<string, { schema?: Schema }> }
type Schema = { properties?: Record<string, { enum?: unknown[] }>; anyOf?: Schema[]; oneOf?: Schema[] }

// Responses of the sign-in library, probes and OpenAPI documents have shapes of their own.
const FOREIGN = /^\/((api\/)?ready$|api\/(auth\/|openapi\.json$))/

/** Our own routes whose documented successful JSON may lack `ok: true`. */
export function successesWithoutOk(paths: OpenApiPaths): string[] {
  const ours = Object.entries(paths).filter(([path]) => !FOREIGN.test(path))
  return ours.flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) => {
      const schemas = Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([, { content }]) => content?.['application/json']?.schema ?? [])
      return schemas.every(saysOk) ? [] : [`${method} ${path}`]
    }),
  )
}

const saysOk = ({ properties, anyOf, oneOf }: Schema): boolean =>
  properties?.['ok']?.enum?.[0] === true ||
  [anyOf ?? [], oneOf ?? []].some((one) => one.length > 0 && one.every(saysOk))
