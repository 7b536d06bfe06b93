import { copyText } from '../app/copy-text.ts'
import { parseRoute, type Route } from '../app/route.ts'
import { findPlace } from './find-place.ts'

type Deps = {
  root: HTMLElement
  follow: (route: Route) => void
  searchTag: (tag: string) => void
  toggleTask: (line: number) => void
}

/** The action of a click in a rendered note. Clicks that request a new tab are left to the browser. */
export function readingClick(event: MouseEvent, { root, follow, searchTag, toggleTask }: Deps) {
  const target = event.target as HTMLElement
  const hit = target.closest<HTMLElement>('a, button, input')
  if (!hit || !root.contains(hit)) return

  if (hit instanceof HTMLAnchorElement) {
    const href = hit.getAttribute('href') ?? ''
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    if (href.startsWith('#')) {
      event.preventDefault()
      findPlace(root, { heading: decodeURIComponent(href.slice(1)) })?.scrollIntoView({ block: 'center' })
    } else if (href.startsWith('/v/')) {
      event.preventDefault()
      follow(parseRoute(hit))
    }
  } else if (hit.matches('.tag')) searchTag(hit.dataset.tag ?? '')
  else if (hit.matches('.copy')) void copyCode(hit)
  else if (hit.matches('.task-box[data-task]')) {
    event.preventDefault()
    toggleTask(Number(hit.dataset.task))
  }
}

async function copyCode(button: HTMLElement) {
  const code = button.closest('.code')?.querySelector('code')?.textContent ?? ''
  await copyText(code, (said) => (button.textContent = said))
  setTimeout(() => (button.textContent = 'Copy'), 1500)
}
