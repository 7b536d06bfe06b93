import { escapeHtml } from '../pages/escape-html.ts'
import { marginPage } from '../pages/margin-page.ts'

export type ShownMail = {
  recipient: string
  template: string
  subject: string
  body: string
  link: string
  created_at: Date
}

const page = (content: string) =>
  marginPage({ title: 'Outbox', content: `<main class="top"><h1>Outbox</h1>${content}</main>` })

// A page without a script does not know the time zone of its reader.
const shownTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

const article = ({ recipient, subject, body, link, created_at: at }: ShownMail) => {
  const paragraphs = body
    .split('\n\n')
    .map((text) => text.trim())
    .filter((text) => text !== '' && text !== link)
  const href = escapeHtml(link)
  return [
    `<article><time class="aside" datetime="${at.toISOString()}">${shownTime.format(at)} UTC</time>`,
    `<h2>${escapeHtml(subject)}</h2><p class="quiet">To ${escapeHtml(recipient)}</p>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    `<p><a class="button" href="${href}" rel="noreferrer">Open the link</a></p><p><code>${href}</code></p></article>`,
  ].join('')
}

/** The mails, newest first. */
export function outboxPage(mails: readonly ShownMail[]): string {
  const list = mails.length === 0 ? '<article><p>No mail yet.</p></article>' : mails.map(article).join('')
  return page(
    `<p class="lead">This installation sends no mail. What it would send is here, the newest first. <a href="/outbox">Look again</a></p>${list}`,
  )
}

/**
 * Shown to everybody who may not see the outbox, such as a browser on another machine. For a platform in a container,
 * the host is another machine.
 */
export function closedOutboxPage(): string {
  return page(
    [
      '<p class="lead">Open the outbox on the machine of the platform, with the link that the platform printed when it started. It works once; a restart prints a new one.</p>',
      '<p>Where the platform runs in a container, <code>svc-admin outbox</code> in that container prints the mails.</p>',
    ].join(''),
  )
}
