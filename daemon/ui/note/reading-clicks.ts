import { parseRoute, type Route } from '../app/route.ts'
import { findPlace } from './find-place.ts'

type Deps = {
  root: HTMLElement
  follow: (route: Route) => void
  searchTag: (tag: string) => void
  toggleTask: (line: number) => void
}

/** What a click in a rendered note does. Clicks that ask for a new tab are left to the browser. */
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
  else if (hit.matches('.remote-image')) loadRemoteImage(hit)
  else if (hit.matches('.copy')) void copyCode(hit)
  else if (hit.matches('.task-box[data-task]')) {
    event.preventDefault()
    toggleTask(Number(hit.dataset.task))
  }
}

function loadRemoteImage(button: HTMLElement) {
  const { source = '', alt = '' } = button.dataset
  const image = document.createElement('img')
  const width = /(?:^|\|)(\d{1,4})(?:x\d{1,4})?$/.exec(alt)?.[1]
  image.alt = alt.replace(/\|?\d{1,4}(x\d{1,4})?$/, '')
  image.referrerPolicy = 'no-referrer'
  if (width !== undefined) image.width = Number(width)
  image.addEventListener('error', () => {
    const link = document.createElement('a')
    link.href = source
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
    link.className = 'external'
    link.textContent = `Open the image ${image.alt} in a new tab`
    image.replaceWith(link)
  })
  image.src = source
  button.replaceWith(image)
}

async function copyCode(button: HTMLElement) {
  const code = button.closest('.code')?.querySelector('code')?.textContent ?? ''
  await navigator.clipboard.writeText(code)
  button.textContent = 'Copied'
  setTimeout(() => (button.textContent = 'Copy'), 1500)
}
