import type { GridAct } from './table-keys.ts'
import type { Place } from './table-acts.ts'
import type { Table } from './table-model.ts'

type Item = { title: string; keys?: string; act: GridAct; isOff?: boolean }

type Deps = {
  host: HTMLElement
  beside: HTMLElement
  table: Table
  place: Place
  run: (act: GridAct) => void
  onClosed: () => void
}

/** The menu for the row and column of the edited cell. Arrow keys move through it, Escape closes it. */
export function openTableMenu({ host, beside, table, place, run, onClosed }: Deps): void {
  host.querySelector('.cm-table-menu')?.remove()
  const menu = document.createElement('div')
  menu.className = 'cm-table-menu'
  menu.popover = 'auto'
  menu.setAttribute('role', 'menu')
  menu.setAttribute('aria-label', 'Rows and columns')
  const items = itemsFor(table, place)
  menu.append(
    ...items.map(({ title, keys, act, isOff }) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.setAttribute('role', 'menuitem')
      button.disabled = isOff ?? false
      const name = document.createElement('span')
      name.textContent = title
      button.append(name)
      if (keys !== undefined) {
        const hint = document.createElement('kbd')
        hint.className = 'key-hint'
        hint.textContent = keys
        hint.setAttribute('aria-hidden', 'true')
        button.append(hint)
      }
      button.addEventListener('click', () => close(() => run(act)))
      return button
    }),
  )

  let isClosed = false
  /**
   * Runs `andThen`, which returns the focus to the table, before it removes the menu. Otherwise the cell would be left.
   */
  const close = (andThen: () => void) => {
    if (isClosed) return
    isClosed = true
    andThen()
    menu.remove()
  }
  menu.addEventListener('toggle', (event) => {
    if (event.newState === 'closed') close(onClosed)
  })
  menu.addEventListener('keydown', (event) => {
    event.stopPropagation()
    const buttons = [...menu.querySelectorAll<HTMLButtonElement>('button:enabled')]
    const now = buttons.findIndex((button) => button.matches(':focus'))
    const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }[event.key]
    if (next !== undefined) buttons.at(next % buttons.length)?.focus()
    else if (event.key === 'Escape' || event.key === 'Tab') close(onClosed)
    else return
    event.preventDefault()
  })

  host.append(menu)
  menu.showPopover()
  const { left, bottom } = beside.getBoundingClientRect()
  menu.style.left = `${Math.max(8, Math.min(left, window.innerWidth - menu.offsetWidth - 8))}px`
  menu.style.top = `${Math.max(8, Math.min(bottom + 4, window.innerHeight - menu.offsetHeight - 8))}px`
  menu.querySelector<HTMLButtonElement>('button:enabled')?.focus()
}

function itemsFor({ rows, columns }: Table, { row, column }: Place): Item[] {
  return [
    { title: 'Row above', keys: 'Alt Shift ↑', act: { kind: 'add-row', by: 0 }, isOff: row === 0 },
    { title: 'Row below', keys: 'Alt Shift ↓', act: { kind: 'add-row', by: 1 } },
    { title: 'Move row up', keys: 'Alt ↑', act: { kind: 'move-row', by: -1 }, isOff: row < 2 },
    {
      title: 'Move row down',
      keys: 'Alt ↓',
      act: { kind: 'move-row', by: 1 },
      isOff: row === 0 || row + 1 === rows.length,
    },
    { title: 'Delete row', keys: 'Ctrl Shift ⌫', act: { kind: 'remove-row' }, isOff: row === 0 },
    { title: 'Column before', keys: 'Alt Shift ←', act: { kind: 'add-column', by: 0 } },
    { title: 'Column after', keys: 'Alt Shift →', act: { kind: 'add-column', by: 1 } },
    { title: 'Move column left', keys: 'Alt ←', act: { kind: 'move-column', by: -1 }, isOff: column === 0 },
    {
      title: 'Move column right',
      keys: 'Alt →',
      act: { kind: 'move-column', by: 1 },
      isOff: column + 1 === columns.length,
    },
    { title: 'Delete column', keys: 'Ctrl Alt ⌫', act: { kind: 'remove-column' }, isOff: columns.length < 2 },
    { title: 'Align left', act: { kind: 'align', align: 'left' } },
    { title: 'Align in the middle', act: { kind: 'align', align: 'center' } },
    { title: 'Align right', act: { kind: 'align', align: 'right' } },
    { title: 'No alignment', act: { kind: 'align', align: 'none' } },
    { title: 'Show as Markdown', act: { kind: 'show-markdown' } },
    { title: 'Delete table', act: { kind: 'delete-table' } },
  ]
}
