import { lookup as systemLookup } from 'node:dns/promises'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { withTimeLimit } from '@svc/shared/kit/time-limit.ts'
import { isPublicAddress } from './public-address.ts'

const MAX_BYTES = 32 * 1024
const PATIENCE_MS = 5_000

type Address = { address: string; family: number }
type Deps = {
  /** All addresses of a name. */
  lookup?: (name: string) => Promise<Address[]>
  isAllowed?: (address: string) => boolean
  /** Where to connect instead of port 443, and which CA to trust; for tests with a server of their own. */
  connectTo?: { port: number; ca: string }
  patienceMs?: number
}

/** Reads one JSON document from the public web. Throws for anything else. */
export type FetchDocument = (url: string) => Promise<unknown>

/** True for a URL that may be fetched: https, a host name, the default port, in its normal form. */
export function isFetchable(text: string): boolean {
  const url = text.length > 500 ? null : URL.parse(text)
  if (url === null || url.protocol !== 'https:' || url.href !== text || url.port !== '') return false
  const host = url.hostname
  return (
    url.username === '' &&
    url.password === '' &&
    !text.includes('#') &&
    host.includes('.') &&
    !host.endsWith('.') &&
    isIP(host.replace(/^\[|\]$/g, '')) === 0
  )
}

/**
 * Fetches a document whose URL a stranger chose. The name is resolved once and the connection goes to exactly that
 * address, so a name that changes between check and use gains nothing; redirects are not followed; size and time are
 * limited.
 */
export function createFetchDocument(deps: Deps = {}): FetchDocument {
  const { lookup = (name) => systemLookup(name, { all: true }), isAllowed = isPublicAddress, connectTo } = deps
  const { patienceMs = PATIENCE_MS } = deps
  return (text) =>
    withTimeLimit({ ms: patienceMs }, async (signal) => {
      if (!isFetchable(text)) throw new Error('the address is not one of the public web')
      const url = new URL(text)
      const addresses = await lookup(url.hostname)
      const [pinned] = addresses
      if (pinned === undefined || !addresses.every(({ address }) => isAllowed(address)))
        throw new Error('the name does not lead to the public web')
      signal.throwIfAborted()
      return JSON.parse(await read(url, { pinned, signal, connectTo })) as unknown
    })
}

type Reading = { pinned: Address; signal: AbortSignal; connectTo: Deps['connectTo'] }

function read(url: URL, { pinned, signal, connectTo }: Reading): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      signal,
      headers: { accept: 'application/json', 'user-agent': 'svc' },
      // Depending on its version, Node asks for one address or for a list.
      lookup: (_name, options, done) =>
        options.all === true ? done(null, [pinned]) : done(null, pinned.address, pinned.family),
      ...connectTo,
    })
    sent.on('error', reject)
    // A 101 that nobody asked for ends the request without an error.
    sent.on('close', () => reject(new Error('the connection ended')))
    sent.on('response', (response) => {
      const refuse = (why: string) => {
        sent.destroy()
        reject(new Error(why))
      }
      const type = response.headers['content-type'] ?? ''
      if (response.statusCode !== 200) return refuse('the document was not answered')
      if (!/^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i.test(type)) return refuse('the document is not JSON')
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > MAX_BYTES) return refuse('the document is too large')
        chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    })
    sent.end()
  })
}
