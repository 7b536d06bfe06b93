import { basename } from 'node:path/posix'
import { readLinkedPath } from '@svc/shared/wire/daemon/note-address.ts'
import { escapeHtml } from '../pages/escape-html.ts'
import { marginPage } from '../pages/margin-page.ts'
import { MOST_SECONDS } from '../pages/margin-style.ts'
import { pageHeaders } from '../pages/static-pages.ts'

type Waking = {
  secure: boolean
  baseUrl: string
  /** The request target of the page that waits. */
  target: string
  /** How long somebody has been waiting for this host. */
  waitedSeconds: number
}

// The gateway holds the reload: the page changes as soon as there is something to show.
const WAKING_SECONDS = 1
const LATE_SECONDS = 5

const TICK = `<svg width="14" height="14" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round" role="img" aria-label="Done"><path d="M20 6 9 17l-5-5"/></svg>`

/**
 * The page shown while a host wakes: what has happened, what will open, and whether it takes too long. It reloads
 * itself until the host is there.
 */
export function wakingPage({ secure, baseUrl, target, waitedSeconds }: Waking) {
  const isLate = waitedSeconds >= MOST_SECONDS
  const seconds = isLate ? LATE_SECONDS : WAKING_SECONDS
  const what = escapeHtml(openedName(target) ?? 'your vault')
  const back = `<a href="${escapeHtml(baseUrl)}">Back to your vaults</a>`
  const [title, lead, foot] = isLate
    ? [
        'Your host needs longer than usual',
        'It was asked to start and is not connected yet. Your notes are safe there.',
        `This page tries again by itself. If it stays like this, tell an admin of your organization. ${back}`,
      ]
    : [
        'Your vault is waking up',
        'Nobody used it for a while, so its host was asleep. What you asked for opens here by itself.',
        `It usually takes a few seconds. ${back}`,
      ]
  const steps = [
    `<li class="done"><span class="aside">0 s</span>${TICK} Host asked to start</li>`,
    `<li class="now since-${Math.min(waitedSeconds, MOST_SECONDS)}" aria-current="step"><span class="aside">${waitedSeconds} s</span>Starting and connecting</li>`,
    `<li class="quiet"><span class="aside"></span>Opening ${what}</li>`,
  ]
  const content = `<main><h1>${title}</h1><p class="lead">${lead}</p><ol class="steps">${steps.join('')}</ol><p class="quiet">${foot}</p></main>`
  return { headers: pageHeaders({ secure }, seconds), body: marginPage({ title, content, refreshSeconds: seconds }) }
}

/** The name of the note that a page of a vault shows, undefined for other pages. Anybody may have written the target. */
function openedName(target: string): string | undefined {
  const [, path] = /^\/v\/[^/?#]+\/([^?#]+)/.exec(target) ?? []
  try {
    const linked = readLinkedPath(path === undefined ? path : decodeURIComponent(path))
    return linked === undefined ? undefined : basename(linked, '.md')
  } catch {
    return undefined
  }
}
