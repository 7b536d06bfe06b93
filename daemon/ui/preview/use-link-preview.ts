import { useEffect, type RefObject } from 'react'
import type { LinkIndex } from '../links/link-index.ts'

type Surroundings = { index: LinkIndex; read: (path: string) => Promise<string> }

/** Previews of the links of a rendered note. Their code is loaded when the first link is pointed at. */
export function useLinkPreview(article: RefObject<HTMLElement | null>, vaultId: string, now: RefObject<Surroundings>) {
  useEffect(() => {
    const root = article.current
    if (!root) return
    let end: () => void = () => {}
    let isOver = false
    const begin = ({ target }: Event) => {
      if (!(target instanceof Element) || !target.closest('a.internal')) return
      ignore()
      import('./preview-links.ts').then(
        ({ previewLinks }) => {
          if (!isOver) end = previewLinks(root, { vaultId, current: () => now.current })
        },
        // If the code cannot be loaded, links still work; the next link that is pointed at tries again.
        () => listen(),
      )
    }
    const listen = () => {
      root.addEventListener('pointerover', begin)
      root.addEventListener('focusin', begin)
    }
    const ignore = () => {
      root.removeEventListener('pointerover', begin)
      root.removeEventListener('focusin', begin)
    }
    listen()
    return () => {
      isOver = true
      ignore()
      end()
    }
  }, [article, vaultId, now])
}
