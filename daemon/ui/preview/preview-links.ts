import '../styles/preview.css'
import { parseRoute } from '../app/route.ts'
import { withoutExtension, type LinkIndex } from '../links/link-index.ts'
import { previewContent } from './preview-content.ts'

/** A pointer that only crosses a link opens nothing, and one that crosses the gap to the preview closes nothing. */
const OPEN_MS = 350
const CLOSE_MS = 250
const GAP = 6

let previews = 0

/** A new object each time that a link is entered, so that only the latest reading of its note opens a preview. */
type Wish = { link: HTMLAnchorElement }
type Deps = { vaultId: string; current: () => { index: LinkIndex; read: (path: string) => Promise<string> } }

/**
 * Shows the beginning of a note beside a link to it, while the pointer is on the link or the link has keyboard focus.
 */
export function previewLinks(root: HTMLElement, { vaultId, current }: Deps): () => void {
  const listening = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let shown: { link: HTMLAnchorElement; card: HTMLElement; top: number } | undefined
  let wished: Wish | undefined

  const close = () => {
    clearTimeout(timer)
    wished = undefined
    shown?.link.removeAttribute('aria-describedby')
    shown?.card.remove()
    shown = undefined
  }
  const closeSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(close, CLOSE_MS)
  }
  const wish = (link: HTMLAnchorElement) => {
    clearTimeout(timer)
    if (shown?.link === link) return
    close()
    const made = { link }
    wished = made
    timer = setTimeout(() => void open(made), OPEN_MS)
  }

  const open = async (its: Wish) => {
    const { link } = its
    const { path = '', heading } = parseRoute(link)
    const { index, read } = current()
    const card = document.createElement('div')
    card.className = 'link-preview reading'
    card.id = `link-preview-${++previews}`
    card.popover = 'manual'
    card.setAttribute('role', 'tooltip')
    try {
      card.append(await previewContent({ vaultId, path, index, text: await read(path), heading }))
      if (card.textContent?.trim() === '' && !card.querySelector('img')) card.append('This note is empty.')
    } catch {
      card.append(`“${withoutExtension(path)}” could not be read.`)
    }
    if (wished !== its || !link.isConnected) return
    const main = root.closest('main, [role="main"], [role="region"]') ?? document.body
    main.append(card)
    card.showPopover()
    place(card, link)
    link.setAttribute('aria-describedby', card.id)
    card.addEventListener('pointerenter', () => clearTimeout(timer))
    card.addEventListener('pointerleave', closeSoon)
    shown = { link, card, top: link.getBoundingClientRect().top }
  }

  const linkOf = (target: EventTarget | null): HTMLAnchorElement | undefined => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a.internal') : null
    if (!link || !root.contains(link)) return undefined
    return current().index.find(parseRoute(link).path ?? '')?.kind === 'note' ? link : undefined
  }
  const enter = (target: EventTarget | null) => {
    const link = linkOf(target)
    if (link) wish(link)
  }
  // A new rendering replaces the links: close the preview of a link that is gone.
  const rendering = new MutationObserver(() => shown?.link.isConnected === false && close())
  rendering.observe(root, { childList: true })
  const { signal } = listening
  const isMouse = (event: Event) => (event as PointerEvent).pointerType === 'mouse'
  root.addEventListener('pointerover', (event) => isMouse(event) && enter(event.target), { signal })
  root.addEventListener('pointerout', (event) => isMouse(event) && linkOf(event.target) && closeSoon(), { signal })
  root.addEventListener('focusin', ({ target }) => byKeyboard(target) && enter(target), { signal })
  root.addEventListener('focusout', close, { signal })
  root.addEventListener('click', close, { signal })
  // Focusing a link may scroll it into view, and that scroll event may arrive when the preview is already shown. Close
  // only if the link has moved away from its preview.
  const scrolled = () => {
    if (shown && shown.link.getBoundingClientRect().top !== shown.top) close()
  }
  window.addEventListener('scroll', scrolled, { signal, capture: true, passive: true })
  // Escape closes only the preview, before other listeners get the key.
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || (!shown && !wished)) return
    event.stopPropagation()
    close()
  }
  window.addEventListener('keydown', escape, { signal, capture: true })
  // The link under the pointer may have been rendered again while this code was loaded.
  enter(root.querySelector('a.internal:focus-visible') ?? root.querySelector('a.internal:hover'))
  return () => {
    listening.abort()
    rendering.disconnect()
    close()
  }
}

/** Whether the focus came by key. A click also focuses a link, but opens the note anyway. */
const byKeyboard = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches(':focus-visible')

/** Below the link, or above it if there is more room. */
function place(card: HTMLElement, link: HTMLElement): void {
  const { left, top, bottom } = link.getClientRects()[0] ?? link.getBoundingClientRect()
  const { innerWidth, innerHeight } = window
  const below = innerHeight - bottom
  const isBelow = below > card.offsetHeight + 2 * GAP || below > top
  card.style.left = `${Math.max(GAP, Math.min(left, innerWidth - card.offsetWidth - GAP))}px`
  card.style.maxHeight = `min(20rem, ${(isBelow ? below : top) - 2 * GAP}px)`
  if (isBelow) card.style.top = `${bottom + GAP}px`
  else card.style.bottom = `${innerHeight - top + GAP}px`
}
