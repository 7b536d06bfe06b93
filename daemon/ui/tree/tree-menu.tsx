import { useEffect, useRef, type KeyboardEvent } from 'react'

/** One action on a line of the tree. */
export type TreeMenuItem = { title: string; keys?: string; run: () => void }

type Props = { label: string; at: { x: number; y: number }; items: readonly TreeMenuItem[]; onClose: () => void }

/** The menu of a line of the tree, at the pointer or under the line. Arrows move through it, Escape closes it. */
export function TreeMenu({ label, at, items, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    menu.current?.showPopover()
    menu.current?.querySelector('button')?.focus()
    return () => {
      if (before instanceof HTMLElement && (document.activeElement ?? document.body) === document.body) before.focus()
    }
  }, [])

  // A popover with light dismiss would close when the button that opened it is released.
  useEffect(() => {
    const away = ({ target }: Event) => {
      if (!(target instanceof Node && menu.current?.contains(target))) onClose()
    }
    document.addEventListener('pointerdown', away)
    return () => document.removeEventListener('pointerdown', away)
  }, [onClose])

  const walk = (event: KeyboardEvent) => {
    const buttons = [...(menu.current?.querySelectorAll('button') ?? [])]
    const now = buttons.findIndex((button) => button === document.activeElement)
    const steps: Record<string, number> = {
      ArrowDown: (now + 1) % buttons.length,
      ArrowUp: (now + buttons.length - 1) % buttons.length,
      Home: 0,
      End: buttons.length - 1,
    }
    const next = steps[event.key]
    if (event.key === 'Tab' || event.key === 'Escape') return onClose()
    if (next === undefined) return
    event.preventDefault()
    buttons[next]?.focus()
  }

  return (
    <div
      ref={menu}
      popover="manual"
      role="menu"
      aria-label={label}
      className="menu tree-menu"
      style={{ left: `min(${at.x}px, 100vw - 280px)`, top: `min(${at.y}px, 100dvh - ${items.length * 36 + 24}px)` }}
      onKeyDown={walk}
    >
      {items.map(({ title, keys, run }) => (
        <button
          key={title}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu-row"
          onClick={() => {
            onClose()
            run()
          }}
        >
          <span>{title}</span>
          {keys && (
            <kbd className="key-hint" aria-hidden="true">
              {keys}
            </kbd>
          )}
        </button>
      ))}
    </div>
  )
}
