import type { IncomingMessage } from 'node:http'
import { escapeHtml } from './escape-html.ts'
import { marginPage, marginPagePolicy } from './margin-page.ts'
import { originHeaders } from '../http/vault-origin-headers.ts'

type Page = { title: string; lines: string[]; refreshSeconds?: number; link?: { href: string; text: string } }

/** A page with a title and some lines. */
function page({ title, lines: [lead = '', ...others], link, ...more }: Page): string {
  const content = [
    `<main><h1>${escapeHtml(title)}</h1><p class="lead">${escapeHtml(lead)}</p>`,
    ...others.map((line) => `<p class="quiet">${escapeHtml(line)}</p>`),
    link === undefined ? '' : `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>`,
    '</main>',
  ]
  return marginPage({ title, content: content.join(''), ...more })
}

/** The headers of a page on a vault origin. */
export const pageHeaders = ({ secure }: { secure: boolean }, retryAfter?: number) => ({
  ...originHeaders({ secure }),
  'content-security-policy': marginPagePolicy,
  'content-type': 'text/html; charset=utf-8',
  ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
})

/** Shown to a person who opens a daemon's dial-in URL. */
export const dialInPage = {
  headers: pageHeaders({ secure: false }),
  body: page({
    title: 'Nothing to see here',
    lines: ['This address is where a host of vaults connects to the service. It answers to nobody else.'],
  }),
}

/** Shown by the service worker while the device has no connection. */
export const offlinePage = {
  policy: marginPagePolicy,
  body: page({
    title: 'You are offline',
    lines: ['This device has no connection. Open this page again when it has one; your notes are safe.'],
  }),
}

type PageContext = { secure: boolean; baseUrl: string }

const OFFLINE_SECONDS = 5

/** Shown while the host of a vault is away; the page reloads itself. */
export function hostOfflinePage({ secure, baseUrl }: PageContext) {
  return {
    headers: pageHeaders({ secure }, OFFLINE_SECONDS),
    body: page({
      title: 'The host of this vault is not connected',
      lines: [
        'The machine that keeps this vault is off, or has no connection. Nothing is lost: your notes are there.',
        `This page tries again by itself, every ${OFFLINE_SECONDS} seconds.`,
      ],
      link: backToVaults(baseUrl),
      refreshSeconds: OFFLINE_SECONDS,
    }),
  }
}

/** Shown without an entry, or after it expired. */
export function enterPage({ secure, baseUrl }: PageContext) {
  return {
    headers: pageHeaders({ secure }),
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
    headers: pageHeaders({ secure }),
    body: page({ title: 'This did not work', lines: [message], link: backToVaults(baseUrl) }),
  }
}

const backToVaults = (baseUrl: string) => ({ href: baseUrl, text: 'Back to your vaults' })

/**
 * True when a person sees the response: a page load, not a request of a script. A download is a navigation with the
 * destination `empty`; the browser would save a page under the name of the file.
 */
export function isNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'POST') return false
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate' && headers['sec-fetch-dest'] !== 'empty'
  return headers.accept?.includes('text/html') ?? false
}
