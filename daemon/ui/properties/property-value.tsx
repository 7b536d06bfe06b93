import { useState, type KeyboardEvent } from 'react'
import { Icon } from '../app/icon.tsx'
import { typedValue, type ListChange } from './change-properties.ts'
import type { Field, FieldValue } from './property-fields.ts'

type Known = Exclude<Field, { kind: 'fixed' }>
type Props = {
  field: Known
  onValue: (value: FieldValue) => void
  onItem: (change: ListChange) => void
  onProblem: (problem: string | undefined) => void
}

const inputs = { text: 'text', number: 'text', date: 'date', time: 'datetime-local' } as const

/** The field of one property. Leaving the field or Enter applies the text; Escape restores the value. */
export function PropertyValue({ field, onValue, onItem, onProblem }: Props) {
  const { name, kind, value } = field
  if (kind === 'checkbox')
    return (
      <input
        type="checkbox"
        aria-label={name}
        checked={value === true}
        onChange={(event) => onValue(event.target.checked)}
      />
    )
  if (kind === 'list' || kind === 'tags')
    return <ListValue name={name} kind={kind} items={value as readonly string[]} onItem={onItem} />

  const put = (typed: string): boolean => {
    const next = typedValue(kind, typed)
    onProblem(next === undefined ? `“${typed}” is no number.` : undefined)
    if (next === undefined) return false
    onValue(next)
    return true
  }
  return <Typed label={name} type={inputs[kind]} numeric={kind === 'number'} value={String(value)} onTyped={put} />
}

/** The name of a property, which can be edited. */
export function PropertyName({ name, onRename }: { name: string; onRename: (typed: string) => boolean }) {
  return <Typed className="property-name" label={`Name of ${name}`} type="text" value={name} onTyped={onRename} />
}

type TypedProps = {
  label: string
  type: string
  numeric?: boolean
  className?: string
  value: string
  /** Returns whether the text is accepted; a rejected one stays in the field. */
  onTyped: (typed: string) => boolean
}

function Typed({ label, type, numeric = false, className, value, onTyped }: TypedProps) {
  const [draft, setDraft] = useState<string>()
  const put = () => {
    if (draft === undefined || draft === value) setDraft(undefined)
    else if (onTyped(draft)) setDraft(undefined)
  }
  const key = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') put()
    if (event.key !== 'Escape' || draft === undefined) return
    event.stopPropagation()
    setDraft(undefined)
  }
  return (
    <input
      className={className}
      type={type}
      inputMode={numeric ? 'decimal' : undefined}
      aria-label={label}
      value={draft ?? value}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={put}
      onKeyDown={key}
    />
  )
}

type ListProps = {
  name: string
  kind: 'list' | 'tags'
  items: readonly string[]
  onItem: (change: ListChange) => void
}

function ListValue({ name, kind, items, onItem }: ListProps) {
  const [typed, setTyped] = useState('')
  const add = () => {
    const item = kind === 'tags' ? typed.trim().replace(/^#/, '').replaceAll(/\s+/g, '-') : typed.trim()
    setTyped('')
    if (item !== '') onItem({ add: item })
  }
  const key = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const isEnd = event.key === 'Enter' || (event.key === ',' && kind === 'tags')
    if (isEnd) event.preventDefault()
    if (isEnd) add()
    const last = items.length - 1
    if (event.key === 'Backspace' && typed === '' && last >= 0) onItem({ take: items[last]!, nth: last })
  }
  return (
    <ul className="property-items" aria-label={name}>
      {items.map((item, nth) => (
        // eslint-disable-next-line react/no-array-index-key
        <li key={nth}>
          <span>{item}</span>
          <button type="button" aria-label={`Remove ${item}`} onClick={() => onItem({ take: item, nth })}>
            <Icon name="close" />
          </button>
        </li>
      ))}
      <li>
        <input
          aria-label={`Add to ${name}`}
          placeholder="Add"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={add}
          onKeyDown={key}
        />
      </li>
    </ul>
  )
}
