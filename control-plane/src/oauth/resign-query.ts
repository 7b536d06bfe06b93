import { createHmac } from 'node:crypto'
import { sameBytes } from '@svc/shared/kit/same-secret.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'

type Secrets = { secret: Secret; previous: Secret | undefined }

const SIGNATURE = 'sig'

/**
 * Signs the library's query of a consent page with the present secret, if the previous one signed it: a person may open
 * the page before a replica changes its secret and decide after that. Any other query comes back unchanged.
 */
export function resignQuery(query: string, { secret, previous }: Secrets): string {
  const params = new URLSearchParams(query)
  const [given, ...others] = params.getAll(SIGNATURE)
  if (previous === undefined || given === undefined || others.length > 0) return query
  params.delete(SIGNATURE)
  const text = canonical(params)
  if (!sameBytes(Buffer.from(given, 'base64'), sign(text, previous))) return query
  params.set(SIGNATURE, sign(text, secret).toString('base64'))
  return params.toString()
}

const sign = (text: string, secret: Secret) => createHmac('sha256', secret.macKey()).update(text).digest()

/** As the library signs it: sorted by name and value. */
function canonical(params: URLSearchParams): string {
  const order = (one: string, other: string) => Number(one > other) - Number(one < other)
  const entries = [...params].toSorted(([nameA, a], [nameB, b]) => order(nameA, nameB) || order(a, b))
  return new URLSearchParams(entries).toString()
}
