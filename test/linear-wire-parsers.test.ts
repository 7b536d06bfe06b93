import { expect, test } from 'vitest'
import { DaemonId, Slug } from '@svc/shared/wire/ids.ts'
import { ImageReferenceText, parseImageReference } from '@svc/shared/wire/image-reference.ts'
import { quantityBytes } from '@svc/shared/wire/quantity.ts'
import { slugify } from '@svc/shared/wire/slug.ts'
import { jsonValue, text as storableText, webUrl } from '@svc/shared/wire/text.ts'
import { cookieValues, withoutCookie } from '../control-plane/src/http/session-cookie.ts'
import { createClientAddress } from '../control-plane/src/http/client-address.ts'
import { readEntryCookie } from '../control-plane/src/entry/entry-cookie.ts'
import { createVaultHosts } from '../control-plane/src/entry/vault-host.ts'
import { refuseDoubled, requestHeaders } from '../control-plane/src/gateway/request-headers.ts'
import { isOwnPath } from '../control-plane/src/gateway/response-headers.ts'
import { decodeCursor } from '../control-plane/src/http/page-cursor.ts'
import { renderMail } from '../control-plane/src/mail/render-mail.ts'
import { readAuthChallenge } from '../control-plane/src/registry/auth-challenge.ts'
import { ResponseParser } from '../control-plane/src/tunnels/response-parser.ts'
import { parseRoute } from '../daemon/ui/app/route.ts'
import { linkIndex } from '../daemon/ui/links/link-index.ts'
import { linkLabel, parseLinkTarget } from '../daemon/ui/links/link-target.ts'
import { resolveAddress, resolveLink } from '../daemon/ui/links/resolve-link.ts'
import { splitFrontMatter } from '../daemon/ui/markdown/front-matter.ts'
import { headingKey } from '../daemon/ui/markdown/headings.ts'
import { renderNote } from '../daemon/ui/markdown/render-note.ts'
import { verifies } from './requirements.ts'
import { adversarialShapes } from './support/adversarial-shapes.ts'
import { firstBelow, leastCpuMs } from './support/cpu-time.ts'
import { shapesBeyondLinear, type Measured } from './support/linear.ts'

const K = 1024
const index = linkIndex([])
const from = 'a/n.md'
const addressOf = createClientAddress(['loopback'])
const hosts = createVaultHosts('https://{label}.vaults.example')
const forward = { connection: undefined, host: 'h', assertion: 'a' }

const parsers: Record<string, Measured> = {
  'rendered note': { length: 4 * K, call: (text) => renderNote(text, { vaultId: 'v', path: from, index }) },
  'front matter of the UI': { length: 64 * K, call: (text) => splitFrontMatter(`---\n${text}`) },
  'heading key': { length: 32 * K, call: headingKey },
  'inside of a link': { length: 64 * K, call: (text) => linkLabel(parseLinkTarget(text)) },
  'target of a link': { length: 32 * K, call: (target) => resolveLink(index, { target, from }) },
  'address of a link': { length: 32 * K, call: (target) => resolveAddress(index, { target, from }) },
  'address bar': { length: 32 * K, call: (text) => parseRoute({ pathname: `/v/v/${text}`, search: text, hash: text }) },
  'slug of a request': { length: 64 * K, call: (text) => Slug.safeParse(text) },
  slug: { length: 64 * K, call: slugify },
  'vault host': { length: 64 * K, call: (text) => [hosts.parse(text), hosts.matches(`${text}.vaults.example`)] },
  'entry cookie': { length: 32 * K, call: (cookie) => readEntryCookie({ headers: { cookie } }, true) },
  'headers of a request': {
    length: 32 * K,
    call(text) {
      const rawHeaders = [...text.split('\n').flatMap((line) => [line, line]), 'accept', text]
      refuseDoubled(rawHeaders)
      return requestHeaders({ ...forward, rawHeaders, connection: text })
    },
  },
  'response of a daemon': {
    length: 32 * K,
    call(text) {
      const parser = new ResponseParser()
      parser.expect('GET', { head: () => {}, data: () => {}, complete: () => {} })
      parser.feed(Buffer.from(`HTTP/1.1 200 OK\r\nX-A: ${text}\r\nTransfer-Encoding: chunked\r\n\r\n1;${text}`))
    },
  },
  'location of a response': { length: 64 * K, call: (text) => isOwnPath(`/${text}`) },
  id: { length: 64 * K, call: (text) => DaemonId.safeParse(`dmn_${text}`) },
  'image reference': { length: 64 * K, call: (text) => parseImageReference(`r.example/${text}:1`) },
  'image reference of a request': { length: 64 * K, call: (text) => ImageReferenceText.safeParse(text) },
  quantity: { length: 64 * K, call: (text) => quantityBytes(`${text}Gi`) },
  text: { length: 64 * K, call: (text) => storableText().safeParse(text) },
  'web address': { length: 32 * K, call: (text) => webUrl().safeParse(`https://${text}`) },
  'JSON value': { length: 64 * K, call: (text) => jsonValue().safeParse({ [text]: [text] }) },
  cookies: { length: 32 * K, call: (text) => [cookieValues(text, 'a'), withoutCookie(text, 'a')] },
  'client address': {
    length: 8 * K,
    call: (text) =>
      addressOf({ socket: { remoteAddress: '127.0.0.1' }, headers: { 'x-forwarded-for': text } } as never),
  },
  cursor: { length: 64 * K, call: (text) => decodeCursor(text, ['text', 'time']) },
  'registry challenge': { length: 32 * K, call: readAuthChallenge },
  mail: {
    length: 32 * K,
    call: (text) =>
      renderMail({ template: 'invitation', to: 'a@b.c', link: 'https://a', organization: text, inviter: text }),
  },
}

test.each(Object.entries(parsers))('%s is linear for every shape', { timeout: 120_000 }, async (_name, measured) => {
  verifies('untrusted.linear')
  expect(adversarialShapes.length).toBeGreaterThanOrEqual(60)
  expect(await shapesBeyondLinear(measured)).toEqual([])
})

const repeated: [string, (count: number) => string][] = [
  ['callouts', (count) => '> [!a]\n\n'.repeat(count)],
  ['inline footnotes', (count) => '^[a] '.repeat(count)],
  ['inline footnotes that do not end', (count) => '^['.repeat(count)],
  ['inline footnotes in each other', (count) => '^['.repeat(count) + ']'.repeat(count)],
  ['references to one footnote', (count) => `[^a]: x\n\n${'[^a] '.repeat(count)}`],
  ['references that do not end', (count) => `[^a]: x\n\n${'[^'.repeat(count)}`],
]

test.each(repeated)(
  'a note that is nothing but %s renders in linear time',
  { timeout: 60_000 },
  async (_what, text) => {
    verifies('untrusted.linear')
    const render = (count: number) => leastCpuMs(() => renderNote(text(count), { vaultId: 'v', path: from, index }))
    const ratio = async () => {
      const short = await render(500)
      return (await render(4000)) / Math.max(2, short)
    }
    expect(await firstBelow(24, ratio)).toBeLessThan(24)
  },
)
