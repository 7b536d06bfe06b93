import { useEffect, useRef, useState } from 'react'
import { explainFresh } from '../../account/fresh-sign-in.tsx'
import { toFailure } from '../../api-failure.ts'
import { explain } from '../../app/explain.ts'
import { ConfirmDialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { ReasonField } from '../reason-field.tsx'
import { Status } from '../../controls/status.tsx'
import type { InventoryItem } from '../admin-answers.ts'
import type { ConfirmedAction } from '../confirmed-actions.ts'
import { idAfter, newOperationId } from '../operation-id.ts'
import { runToOutcome } from '../run-to-outcome.ts'
import { runForEach, type Outcome } from './run-for-each.ts'

type Props = {
  action: ConfirmedAction
  /** The selected organizations to which the action applies. */
  items: InventoryItem[]
  /** How many of the selection are left out. */
  leftOut: number
  onDone: () => void
  onClose: () => void
}

/**
 * One action for many organizations: an audited operation for each, with the same reason. Failed ones can be retried.
 */
export function BulkDialog({ action, items, leftOut, onDone, onClose }: Props) {
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const [running, setRunning] = useState(false)
  const ids = useRef(new Map<string, string>())
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])

  const open = items.filter(({ orgId }) => outcomes.get(orgId)?.state !== 'done')
  const count = countWords(items.length)
  const ready = open.length === 0 || (reason.trim().length >= 3 && (action.harmless === true || typed === count))

  const runOne = async ({ orgId, orgSlug }: InventoryItem, signal: AbortSignal) => {
    const operationId = ids.current.get(orgId) ?? newOperationId()
    ids.current.set(orgId, operationId)
    const operation = { operationId, reason: reason.trim(), confirmation: orgSlug }
    try {
      return await runToOutcome(() => action.run(orgId, operation, signal), signal)
    } catch (error) {
      ids.current.set(orgId, idAfter(toFailure(error), operationId, newOperationId))
      throw error
    }
  }
  const execute = async () => {
    if (open.length === 0) return
    const abort = new AbortController()
    stop.current = abort
    const failures: unknown[] = []
    setRunning(true)
    await runForEach({
      items: open,
      run: (item) => runOne(item, abort.signal),
      tell: ({ orgId }, outcome) => {
        if (outcome.state === 'failed') failures.push(outcome.why)
        setOutcomes((before) => new Map(before).set(orgId, outcome))
      },
      signal: abort.signal,
    })
    setRunning(false)
    onDone()
    // Keep the dialog open with the results; the first failure explains why organizations are left.
    if (failures.length > 0) throw failures[0]
  }

  return (
    <ConfirmDialog
      title={`${action.name}: ${count}`}
      confirm={open.length === 0 ? 'Done' : outcomes.size === 0 ? action.name : 'Try the rest again'}
      ready={ready}
      goesOn={running}
      staysOpen={open.length > 0}
      onConfirm={execute}
      onClose={onClose}
      explainFailure={explainFresh}
    >
      <p>{action.explanation}</p>
      {leftOut > 0 && (
        <p className="fine">{leftOut} of the selection cannot be acted on like this and are left alone.</p>
      )}
      <ul className="rows bulk-rows" tabIndex={0} aria-label="What becomes of each">
        {items.map(({ orgId, orgName }) => (
          <li key={orgId} className="row">
            <div className="row-line">
              <span className="row-who">{orgName}</span>
              <OutcomeStatus outcome={outcomes.get(orgId)} />
            </div>
          </li>
        ))}
      </ul>
      {running && <p className="fine">Closing this begins no more of them; what runs goes on.</p>}
      {outcomes.size === 0 && (
        <>
          <ReasonField reason={reason} hint="Kept in the audit, once for each." onChange={setReason} />
          {action.harmless !== true && (
            <TextField
              label={`Type “${count}” to confirm`}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </>
      )}
    </ConfirmDialog>
  )
}

const countWords = (count: number) => (count === 1 ? '1 daemon' : `${count} daemons`)

function OutcomeStatus({ outcome }: { outcome: Outcome | undefined }) {
  if (outcome === undefined) return <Status tone="idle">Not begun</Status>
  if (outcome.state === 'running') return <Status tone="busy">Running</Status>
  if (outcome.state === 'done') return <Status tone="good">{outcome.said}</Status>
  return <Status tone="bad">{explain(toFailure(outcome.why))}</Status>
}
