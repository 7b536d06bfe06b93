import '../styles/history.css'
import '../styles/agents.css'
import { useState } from 'react'
import type { Author, RevertedNote } from '../api/daemon-client.ts'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { counted } from '../app/counted.ts'
import { failureText } from '../app/failure-text.ts'
import { Modal } from '../app/modal.tsx'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'

/** An agent by its name and the person for whom it acts. Agents of several people may have one name. */
export type UndoneAgent = Pick<Author, 'name' | 'person'>

type Props = {
  agent: UndoneAgent
  since: string
  /** Limits the undo to one note. */
  path?: string
  onClose: () => void
  onDone: () => void
}

/**
 * Shows the plan of reverting an agent's changes, and carries out exactly that. Text written by people since then
 * stays.
 */
export default function UndoDialog({ agent: { name, person }, since, path, onClose, onDone }: Props) {
  const { client } = useServices()
  const { vault, here, announce, refreshTree } = useVault()
  const agent = person ? `${name} for ${person.id === here.person.id ? 'you' : person.name}` : name
  const wish = { client: name, person: person?.id ?? null, since, ...(path !== undefined && { path }) }
  const [loaded, reload] = useLoaded(`undo ${vault.id} ${JSON.stringify(wish)}`, (signal) =>
    client.revert(vault.id, { ...wish, dryRun: true }, signal),
  )
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<string>()
  const plan = loaded.state === 'ready' ? loaded.value : undefined

  const undo = async () => {
    if (!plan) return
    setBusy(true)
    setFailed(undefined)
    try {
      const { notes } = await client.revert(vault.id, { ...wish, dryRun: false, review: plan.review })
      announce(`Undid ${counted(notes.length, 'change')} of ${agent}`)
      refreshTree()
      onDone()
      onClose()
    } catch (thrown) {
      setFailed(failureText(asRefusal(thrown)).title)
      reload() // the notes have changed since: show what would be done now
    } finally {
      setBusy(false)
    }
  }

  const when = new Date(since).toLocaleString()
  return (
    <Modal label={`Undo ${agent}`} className="wide" onClose={onClose}>
      <h2>
        Undo what {agent} changed since {when}
      </h2>
      <div className="undo-plan" aria-busy={loaded.state === 'loading'}>
        {loaded.state === 'loading' && <p className="quiet">Looking at what would change…</p>}
        {loaded.state === 'refused' && <p role="alert">{refusalText(loaded.refusal)}</p>}
        {plan?.notes.length === 0 && <p>There is nothing left to undo.</p>}
        {plan?.notes.map((note) => (
          <PlannedNote key={note.path} note={note} />
        ))}
        {plan && plan.left.length > 0 && (
          <p className="quiet">
            Left as they are: {plan.left.map(({ path, reason }) => `${path} (${reason})`).join(', ')}
          </p>
        )}
      </div>
      {failed !== undefined && loaded.state !== 'refused' && (
        <p className="field-error" role="alert">
          {failed}
        </p>
      )}
      <div className="modal-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Keep it
        </button>
        {plan && plan.notes.length > 0 && (
          <button type="button" className="button primary" disabled={isBusy} onClick={() => void undo()}>
            {`Undo ${counted(plan.notes.length, 'change')}`}
          </button>
        )}
      </div>
    </Modal>
  )
}

/** Why nothing can be undone. A history that is missing or full says itself what to do. */
function refusalText(refusal: Refusal): string {
  if (refusal.code === 'forbidden') return 'You can undo your own agents. An admin can undo this one.'
  const saysItself = refusal.code === 'not_found' || refusal.code === 'storage_full'
  return saysItself ? refusal.message : failureText(refusal).title
}

const acts: Record<RevertedNote['action'], string> = {
  edit: '',
  trash: 'goes to the deleted notes',
  bring_back: 'comes back',
  move_back: 'goes back to its old place',
}

function PlannedNote({ note: { path, action, to, diff, conflicts } }: { note: RevertedNote }) {
  const lines = diff.split('\n').filter((line) => !/^(?:@@|$)/.test(line))
  return (
    <section className="planned-note" aria-label={path}>
      <h3>{path}</h3>
      {acts[action] !== '' && (
        <p className="quiet">
          {acts[action]}
          {to === undefined ? '' : `: ${to}`}
        </p>
      )}
      {lines.map((line, nth) => (
        // eslint-disable-next-line react/no-array-index-key
        <p key={nth} className="stretch">
          {line.startsWith('+') ? (
            <ins>
              <span className="sr-only">Comes back: </span>
              {line.slice(1)}
            </ins>
          ) : line.startsWith('-') ? (
            <del>
              <span className="sr-only">Goes: </span>
              {line.slice(1)}
            </del>
          ) : (
            line.slice(1)
          )}
        </p>
      ))}
      {conflicts.length > 0 && (
        <p className="quiet">
          {conflicts.length === 1 ? 'One place stays' : `${conflicts.length} places stay`}, since somebody changed{' '}
          {conflicts.length === 1 ? 'it' : 'them'} later: line {conflicts.map(({ line }) => line).join(', ')}
        </p>
      )}
    </section>
  )
}
