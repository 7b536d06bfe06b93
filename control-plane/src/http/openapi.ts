import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import type { z } from 'zod'
import { addExamples, type Document } from './openapi-examples.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The OpenAPI description of a route whose handler validates and responds by itself. */
    documented?: Documented
  }
}

/** Schemas that only the OpenAPI document uses. A response is JSON unless its content types are listed. */
export type Documented = {
  summary?: string
  params?: z.ZodType
  querystring?: z.ZodType
  body?: z.ZodType
  /** Content types of the body; absent: JSON. */
  consumes?: string[]
  response: Record<string, z.ZodType | { description?: string; content?: Record<string, { schema: z.ZodType }> }>
}

/** Schema and configuration of a route that is documented but whose handler validates and responds by itself. */
export const documentedOnly = (documented: Documented) => ({ schema: { hide: true }, config: { documented } })

/** The OpenAPI document of the control plane: every route, its responses and failures, with examples. */
export function openApi(baseUrl: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc control plane',
        version: '1',
        description: 'Accounts, organizations, entry and administration.',
      },
      servers: [{ url: baseUrl }],
    },
    transform: (input) => {
      const { config } = input.route as { config?: { documented?: Documented } }
      const schema = withFailures({ ...(config?.documented ?? input.schema) })
      return jsonSchemaTransform({ ...input, schema } as typeof input)
    },
    transformObject: (document) =>
      addExamples(('openapiObject' in document ? document.openapiObject : {}) as Document) as never,
  }
}

/** Every route may return the failure body; the API document states it once for all of them. */
function withFailures(schema: { response?: unknown; hide?: boolean }) {
  const { response, hide } = schema
  if (response === undefined || hide === true) return schema
  return { ...schema, response: { default: ErrorBody, ...(response as object) } }
}
