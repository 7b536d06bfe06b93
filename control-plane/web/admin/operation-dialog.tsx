import { useEffect, useRef, useState, type ReactNode } from 'react'
import { toFailure } from '../api-failure.ts'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'
import { Notice } from '../controls/notice.tsx'
import { explainFresh } from '../account/fresh-sign-in.tsx'
import { idAfter, newOperationId } from './operation-id.ts'
import { runToOutcome } from './run-to-outcome.ts'
import { ReasonField } from './reason-field.tsx'

export type Operation = { operationId: string; reason: string; confirmation: string }

type Props = {
  title: string
  confirm: string
  look?: 'primary' | 'danger'
  /** The confirmation that the API expects. */
  expected: string
  /** The text to type and its label; undefined for a harmless operation, which needs no typed confirmation. */
  typed?: { text: string; name: string }
  /** False while fields of the caller are incomplete. */
  ready?: boolean
  children?: ReactNode
  run: (operation: Operation, signal: AbortSignal) => Promise<unknown>
  onClose: () => void
}

/**
 * Asks for a reason and a confirmation, then runs one audited operation. All attempts have the same id, so a retry
 * after a lost response does nothing twice. While the operation runs, the dialog polls for the outcome.
 */
export function OperationDialog(props: Props) {
  const { title, confirm, look = 'primary', expected, typed, ready = true, children, run, onClose } = props
  const [reason, setReason] = useState('')
  const [confirmation, setConfirmation] = useState('')
  const [running, setRunning] = useState(false)
  const id = useRef<string>(undefined)
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])

  const execute = async () => {
    stop.current = new AbortController()
    const { signal } = stop.current
    id.current ??= newOperationId()
    try {
      const operation = { operationId: id.current, reason: reason.trim(), confirmation: expected }
      return await runToOutcome(
        () => run(operation, signal),
        signal,
        () => setRunning(true),
      )
    } catch (error) {
      id.current = idAfter(toFailure(error), id.current, newOperationId)
      throw error
    } finally {
      setRunning(false)
    }
  }

  return (
    <ConfirmDialog
      {...{ title, confirm, look }}
      ready={ready && reason.trim().length >= 3 && (typed === undefined || confirmation === typed.text)}
      goesOn={running}
      onConfirm={execute}
      onClose={onClose}
      explainFailure={explainFresh}
    >
      {children}
      <ReasonField reason={reason} onChange={setReason} />
      {typed !== undefined && (
        <>
          <p>
            Type the {typed.name} <code className="literal">{typed.text}</code> to confirm.
          </p>
          <TextField
            label="Confirmation"
            value={confirmation}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setConfirmation(event.target.value)}
          />
        </>
      )}
      {running && (
        <Notice>
          <p>The operation is running. This shows its outcome; you may close it, the operation goes on.</p>
        </Notice>
      )}
    </ConfirmDialog>
  )
}
