import '../styles/picker.css'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Modal } from '../app/modal.tsx'

/** One choice of a picker. */
export type Choice = { id: string; content: ReactNode; pick: (how: 'here' | 'tab') => void }

type Props = {
  label: string
  placeholder: string
  choices: (query: string) => readonly Choice[]
  /** The action of Shift-Enter on the typed text, with its label. */
  other?: { label: string; run: (query: string) => void }
  empty: string
  /** What the list waits for. Until then it may be empty, and Enter alone does nothing then. */
  wait?: string | undefined
  onClose: () => void
}

const MIDDLE = 1

/** A text field over a list: type to narrow, arrows to move, Enter to pick. */
export function Picker({ label, placeholder, choices, other, empty, wait, onClose }: Props) {
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const list = useRef<HTMLUListElement>(null)
  const found = choices(query)
  const active = Math.min(at, found.length - 1)

  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    if (move !== undefined) {
      event.preventDefault()
      const edge = Math.abs(move) === 1 ? (active + move + found.length) % Math.max(found.length, 1) : active + move
      setAt(Math.min(Math.max(edge, 0), Math.max(found.length - 1, 0)))
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (other && query.trim() !== '' && (event.shiftKey || (found.length === 0 && wait === undefined)))
      return other.run(query.trim())
    found[active]?.pick(event.ctrlKey || event.metaKey ? 'tab' : 'here')
  }

  return (
    <Modal label={label} className="picker" onClose={onClose}>
      <input
        className="picker-input"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found[active] ? `${listId}-${active}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={listId} role="listbox" aria-label={label} className="picker-list">
        {found.map((choice, nth) => (
          <li
            key={choice.id}
            id={`${listId}-${nth}`}
            role="option"
            aria-selected={nth === active}
            onMouseMove={() => setAt(nth)}
            onClick={(event) => choice.pick(event.ctrlKey || event.metaKey ? 'tab' : 'here')}
            onMouseDown={(event) => {
              // Prevents the scrolling that a middle click would start.
              if (event.button === MIDDLE) event.preventDefault()
            }}
            onAuxClick={(event) => {
              if (event.button === MIDDLE) choice.pick('tab')
            }}
          >
            {choice.content}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="picker-empty">{wait ?? empty}</p>}
      {other && query.trim() !== '' && (
        <button type="button" className="picker-foot" onClick={() => other.run(query.trim())}>
          <span>
            {other.label} “{query.trim()}”
          </span>
          <span className="keys">
            <kbd>Shift</kbd>
            <kbd>Enter</kbd>
          </span>
        </button>
      )}
    </Modal>
  )
}
