import { createHash } from 'node:crypto'
import { z } from 'zod'

/** What an assertion says about itself: the client that it is of, and where the library notes that it was used. */
export type ClientProof = { clientId: string; row: string | undefined }

const LONGEST = 8_192

/** Both claims may name the client (RFC 7523, 3). */
const Name = z.string().regex(/^[!-~]{1,512}$/)
const Claims = z.object({ sub: Name.optional(), iss: Name.optional(), jti: z.string().optional() })

/**
 * Reads the assertion by which a client proves itself with its key. Verifies nothing, which the library does: what is
 * read here only chooses rows. Undefined for everything that is no assertion. Pure.
 */
export function readClientProof(assertion: string | null): ClientProof | undefined {
  if (assertion === null || assertion.length > LONGEST) return undefined
  const [, payload = ''] = assertion.split('.', 2)
  const { data } = Claims.safeParse(parsed(payload))
  const clientId = data?.sub ?? data?.iss
  if (clientId === undefined) return undefined
  return { clientId, row: data?.jti === undefined ? undefined : rowOf(clientId, data.jti) }
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

/** The id under which the library stores that the assertion was used. */
const rowOf = (clientId: string, jti: string): string =>
  createHash('sha256').update(`private_key_jwt:${clientId}:${jti}`).digest().subarray(0, 24).toString('base64url')
