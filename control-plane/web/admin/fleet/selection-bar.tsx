import { useState } from 'react'
import { Button } from '../../controls/button.tsx'
import type { InventoryItem } from '../admin-answers.ts'
import { confirmedActions, type ConfirmedAction } from '../confirmed-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'

type Props = { selected: InventoryItem[]; onDone: () => void; clear: () => void }

/** The actions on all selected organizations. */
export function SelectionBar({ selected, onDone, clear }: Props) {
  // The selection in the dialog stays fixed while the table is updated.
  const [chosen, setChosen] = useState<{ action: ConfirmedAction; items: InventoryItem[]; leftOut: number }>()
  const begin = (action: ConfirmedAction) => {
    const items = selected.filter(action.mayBegin)
    setChosen({ action, items, leftOut: selected.length - items.length })
  }
  if (selected.length === 0 && chosen === undefined) return null
  return (
    <div className="selection-bar" role="group" aria-label="Selection">
      <span role="status">{selected.length} selected</span>
      {confirmedActions.map((action) => (
        <Button key={action.name} size="small" disabled={!selected.some(action.mayBegin)} onClick={() => begin(action)}>
          {action.name}
        </Button>
      ))}
      <Button size="small" look="quiet" onClick={clear}>
        Clear
      </Button>
      {chosen !== undefined && <BulkDialog {...chosen} onDone={onDone} onClose={() => setChosen(undefined)} />}
    </div>
  )
}
