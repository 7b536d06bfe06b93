import { z } from 'zod'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import type { Documented } from '../http/openapi.ts'

const text = z.string()
const form = ['application/x-www-form-urlencoded']
/**
 * RFC 6749, 5.2, also while the database is away and after too many requests; other failures of ours have the same body
 * as on other routes.
 */
const failure = z.union([z.looseObject({ error: text, error_description: text.optional() }), ErrorBody])
const credentials = { client_id: text.optional(), client_secret: text.optional() }

/** RFC 9728. */
export const resourceDocument: Documented = {
  response: { 200: z.looseObject({ resource: text, authorization_servers: z.array(text) }) },
}

/** RFC 8414. */
export const serverDocument: Documented = {
  response: { 200: z.looseObject({ issuer: text, authorization_endpoint: text, token_endpoint: text }) },
}

/** Routes of OAuth that programs call, by method and path. */
export const oauthDocuments: Record<string, Documented> = {
  'POST /oauth2/register': {
    body: z.looseObject({ client_name: text, redirect_uris: z.array(z.url()) }).describe('RFC 7591.'),
    response: { 201: z.looseObject({ client_id: text, redirect_uris: z.array(text) }), default: failure },
  },
  'POST /oauth2/token': {
    consumes: form,
    body: z.looseObject({
      grant_type: z.enum(['authorization_code', 'refresh_token']),
      code: text.optional(),
      code_verifier: text.optional(),
      redirect_uri: text.optional(),
      refresh_token: text.optional(),
      ...credentials,
    }),
    response: {
      200: z.looseObject({ access_token: text, token_type: text, expires_in: z.number(), scope: text.optional() }),
      default: failure,
    },
  },
  'POST /oauth2/revoke': {
    consumes: form,
    body: z.looseObject({ token: text, ...credentials }).describe('RFC 7009.'),
    response: { 200: z.unknown(), default: failure },
  },
}

/** The response redirects to the page of the app that asks for consent. */
export const authorizeDocument: Documented = {
  querystring: z.looseObject({
    response_type: z.literal('code'),
    client_id: text,
    redirect_uri: text,
    code_challenge: text,
    code_challenge_method: z.literal('S256'),
    scope: text.optional(),
    state: text.optional(),
    resource: text.optional(),
  }),
  response: { 302: z.null().describe('To sign-in, to consent, or back to the program.') },
}
