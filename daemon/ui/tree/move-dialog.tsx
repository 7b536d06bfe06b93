import { useId, useState, type FormEvent } from 'react'
import type { TreeNode } from '../api/daemon-client.ts'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { FormEnd } from '../app/form-end.tsx'
import { Modal } from '../app/modal.tsx'
import { useServices } from '../app/services.ts'
import { notePath } from '../note/note-path.ts'
import { useVault } from '../vaults/vault-context.ts'
import { MoveEffects } from './move-effects.tsx'
import { isAtOrBelow, renameRange, typedPath } from './moved-path.ts'
import { useMovePlan } from './use-move-plan.ts'

type Props = { from: string; to?: string | undefined; onClose: () => void }

/** Renames or moves a note, file or folder, and shows first which links will be rewritten. */
export default function MoveDialog({ from, to: suggested, onClose }: Props) {
  const { client } = useServices()
  const { vault, tree, index, sessions, tabs, refreshTree, announce } = useVault()
  const id = useId()
  const [typed, setTyped] = useState(suggested ?? from)
  const [rewriteLinks, setRewriteLinks] = useState(true)
  const [failed, setFailed] = useState<string>()
  const [busy, setBusy] = useState(false)
  const isNote = index.find(from)?.kind === 'note'
  const to = isNote ? notePath(typed) : { path: typedPath(typed) }
  const plan = useMovePlan(vault.id, { from, to: 'path' in to && to.path !== '' ? to.path : undefined })

  const carryOut = (move: { from: string; to: string }) => client.move(vault.id, { ...move, rewriteLinks })
  const move = async (event: FormEvent) => {
    event.preventDefault()
    if (plan.state !== 'ready') return
    if (index.notes.some(({ path }) => isAtOrBelow(path, from) && sessions.find(path)?.hasUnsent()))
      return setFailed('There is text that is not saved yet. Save it, then move the note.')
    setBusy(true)
    const done = { from, to: plan.plan.to }
    try {
      await carryOut(done)
      follow(done)
      onClose()
      announce(`Moved to ${done.to}`, () => void undo(done))
    } catch (thrown) {
      setFailed(explained(asRefusal(thrown)))
      setBusy(false)
    }
  }
  const undo = async (done: { from: string; to: string }) => {
    const back = { from: done.to, to: done.from }
    try {
      await carryOut(back)
      follow(back)
    } catch (thrown) {
      announce(failureText(asRefusal(thrown)).title)
    }
  }
  const follow = (done: { from: string; to: string }) => {
    for (const open of tabs.paths()) if (isAtOrBelow(open, done.from)) sessions.drop(open)
    tabs.moved(done)
    refreshTree()
  }

  return (
    <Modal label="Rename or move" onClose={onClose}>
      <form onSubmit={(event) => void move(event)}>
        <h2>Rename or move</h2>
        <label className="field">
          Path
          <input
            ref={(input) => {
              if (input && document.activeElement !== input) {
                input.focus()
                input.setSelectionRange(...renameRange(input.value))
              }
            }}
            value={typed}
            list={`${id}-folders`}
            autoComplete="off"
            spellCheck={false}
            aria-describedby={`${id}-effects`}
            onChange={(event) => {
              setTyped(event.target.value)
              setFailed(undefined)
            }}
          />
        </label>
        <datalist id={`${id}-folders`}>
          {folderPaths(tree).map((folder) => (
            <option key={folder} value={`${folder}/${from.split('/').at(-1)}`} />
          ))}
        </datalist>
        <div id={`${id}-effects`} role="status">
          {'problem' in to && <p className="hint">{to.problem}</p>}
          {plan.state === 'asking' && <p className="hint">Looking for links to it…</p>}
          {plan.state === 'ready' && <MoveEffects plan={plan.plan} />}
        </div>
        {plan.state === 'ready' && plan.plan.linksTotal > 0 && (
          <label className="check">
            <input type="checkbox" checked={rewriteLinks} onChange={(event) => setRewriteLinks(event.target.checked)} />
            Rewrite these links
          </label>
        )}
        <FormEnd
          submit="Move"
          disabled={busy || plan.state !== 'ready'}
          onCancel={onClose}
          refusal={failed ?? (plan.state === 'refused' && explained(plan.refusal))}
        />
      </form>
    </Modal>
  )
}

function explained(refusal: Refusal): string {
  if (refusal.code === 'note_exists') return 'There is something under this name already. Choose another.'
  const [problem] = Array.isArray(refusal.details) ? (refusal.details as { message?: string }[]) : []
  return problem?.message === undefined ? failureText(refusal).title : `The path ${problem.message}.`
}

/** The paths of all folders of a tree, outer ones first. */
function folderPaths(tree: readonly TreeNode[]): string[] {
  return tree.flatMap((node) => (node.kind === 'folder' ? [node.path, ...folderPaths(node.children)] : []))
}
