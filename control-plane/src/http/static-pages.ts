import { originHeaders } from './vault-origin-headers.ts'
import type { IncomingMessage } from 'node:http'

type Page = { title: string; lines: string[]; refreshSeconds?: number; link?: { href: string; text: string } }

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1.5rem;color:#1f2328;
background:#fff}h1{font-size:1.3rem;font-weight:600}a{color:#0b5cad}@media(prefers-color-scheme:dark){body{color:#e6e8ea;
background:#16181b}a{color:#7ab7ff}}`

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** A small page of the gateway's own: no script and no data of a daemon. */
function page({ title, lines, refreshSeconds, link }: Page): string {
  const refresh = refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">`
  const anchor = link === undefined ? '' : `<p><a href="${escape(link.href)}">${escape(link.text)}</a></p>`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${refresh}
<title>${escape(title)}</title><style>${STYLE}</style><h1>${escape(title)}</h1>${lines
    .map((line) => `<p>${escape(line)}</p>`)
    .join('')}${anchor}</html>`
}

const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const html = (secure: boolean, retryAfter?: number) => ({
  ...originHeaders({ secure }),
  'content-security-policy': PAGE_POLICY,
  'content-type': 'text/html; charset=utf-8',
  ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
})

/** Shown to a person who opens a daemon's dial-in URL. */
export const dialInPage = {
  headers: html(false),
  body: page({
    title: 'Nothing to see here',
    lines: ['This address is where a host of vaults connects to the service. It answers to nobody else.'],
  }),
}

/** Shown by the service worker while the device has no connection. */
export const offlinePage = {
  policy: PAGE_POLICY,
  body: page({
    title: 'You are offline',
    lines: ['This device has no connection. Open this page again when it has one; your notes are safe.'],
  }),
}

type PageContext = { secure: boolean; baseUrl: string }

/** Shown while a daemon is away or waking; the page reloads itself. */
export function waitingPage({ secure }: PageContext, code: 'daemon_offline' | 'daemon_waking') {
  // While a daemon wakes, the gateway holds the reload: the page changes as soon as there is something to show.
  const seconds = code === 'daemon_waking' ? 1 : 5
  const waking = {
    title: 'Your vault is waking up',
    lines: ['It was asleep and is starting now. This page opens it by itself in a few seconds.'],
  }
  const offline = {
    title: 'The host of this vault is not connected',
    lines: [
      'The machine that keeps this vault is off, or has no connection. Nothing is lost: your notes are there.',
      'This page tries again by itself.',
    ],
  }
  return {
    headers: html(secure, seconds),
    body: page({ ...(code === 'daemon_waking' ? waking : offline), refreshSeconds: seconds }),
  }
}

/** Shown without an entry, or after it expired. */
export function enterPage({ secure, baseUrl }: PageContext) {
  return {
    headers: html(secure),
    body: page({
      title: 'Open this vault from the app',
      lines: ['You are not signed in to this vault, or your visit has ended. Open it again from your list of vaults.'],
      link: { href: baseUrl, text: 'Go to your vaults' },
    }),
  }
}

/** Shown for any other failure of a page load. */
export function failurePage({ secure, baseUrl }: PageContext, message: string) {
  return {
    headers: html(secure),
    body: page({ title: 'This did not work', lines: [message], link: { href: baseUrl, text: 'Go to your vaults' } }),
  }
}

/** True when a person sees the response: a page load, not a request of a script. */
export function isNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'POST') return false
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate'
  return headers.accept?.includes('text/html') ?? false
}
