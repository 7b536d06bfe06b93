import { useEffect, useRef } from 'react'
import { Link } from 'react-router'

type Props = { label: string; tabs: { name: string; to: string; shown: boolean }[] }

/**
 * Links to the parts of a page; each part has an address. On a narrow screen the row scrolls until the current tab is
 * fully visible.
 */
export function Tabs({ label, tabs }: Props) {
  const row = useRef<HTMLElement>(null)
  const shown = tabs.find((tab) => tab.shown)?.to
  useEffect(() => {
    if (shown === undefined) return
    const reveal = () => row.current && revealTab(row.current)
    reveal()
    // The app's font may be wider than the fallback font, so reveal the tab again once the font is loaded.
    void document.fonts.ready.then(reveal)
  }, [shown])

  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {tabs.map(({ name, to, shown: isShown }) => (
        <Link key={to} to={to} aria-current={isShown ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** Scrolls only the row; `scrollIntoView` would also scroll the page. */
function revealTab(row: HTMLElement): void {
  const tab = row.querySelector('[aria-current]')?.getBoundingClientRect()
  if (tab === undefined) return
  const { left, right } = row.getBoundingClientRect()
  if (tab.right > right) row.scrollLeft += Math.ceil(tab.right - right)
  else if (tab.left < left) row.scrollLeft -= Math.ceil(left - tab.left)
}
