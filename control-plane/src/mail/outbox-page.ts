import { createHash } from 'node:crypto'
import { escapeHtml } from './render-mail.ts'

export type ShownMail = {
  recipient: string
  template: string
  subject: string
  body: string
  link: string
  created_at: Date
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 46rem; margin: 3rem auto; padding: 0 1.5rem }
h1 { font-size: 1.4rem; margin: 0 0 .25rem }
p { margin: .25rem 0 } .fine { opacity: .7; font-size: .9rem }
article { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 10px; padding: 1rem 1.25rem; margin: 1rem 0 }
h2 { font-size: 1rem; margin: 0 } a { overflow-wrap: anywhere }
`

/** The page's own policy: no script, and only this style. */
export const outboxPolicy = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

const page = (content: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>Outbox</title><style>${style}</style></head><body>${content}</body></html>`

const article = ({ recipient, subject, body, link, created_at }: ShownMail) => {
  const paragraphs = body
    .split('\n\n')
    .map((text) => text.trim())
    .filter((text) => text !== '' && text !== link)
  return [
    `<article><h2>${escapeHtml(subject)}</h2>`,
    `<p class="fine">to ${escapeHtml(recipient)} · <time>${created_at.toISOString()}</time></p>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    `<p><a href="${escapeHtml(link)}" rel="noreferrer">${escapeHtml(link)}</a></p></article>`,
  ].join('')
}

/** The mails, newest first. */
export function outboxPage(mails: readonly ShownMail[]): string {
  const list = mails.length === 0 ? '<p>No mail was sent yet.</p>' : mails.map(article).join('')
  return page(`<h1>Outbox</h1><p class="fine">This installation sends no mail; what it would send is here.</p>${list}`)
}

/** Shown to everybody else. */
export function closedOutboxPage(): string {
  return page(
    '<h1>Outbox</h1><p>Open the outbox with the link that the platform printed when it started. It works once; a restart prints a new one.</p>',
  )
}
