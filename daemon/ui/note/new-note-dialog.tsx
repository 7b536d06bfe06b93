import { systemClock } from '@svc/shared/kit/clock.ts'
import { useState, type FormEvent } from 'react'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { FormEnd } from '../app/form-end.tsx'
import { Modal } from '../app/modal.tsx'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'
import { notePath } from './note-path.ts'

type Props = { suggestion: string; template?: string; onClose: () => void }

/** Asks for the path of a new note and creates it; offers an existing note instead of overwriting it. */
export function NewNoteDialog({ suggestion, template, onClose }: Props) {
  const { client } = useServices()
  const { vault, sessions, open, setMode, refreshTree } = useVault()
  const [typed, setTyped] = useState(suggestion)
  const [refusal, setRefusal] = useState<Refusal>()
  const [busy, setBusy] = useState(false)
  const checked = notePath(typed)

  const firstText = async (path: string): Promise<string> => {
    if (template === undefined) return ''
    const [{ fromTemplate, titleOf }, text] = await Promise.all([
      import('../templates/daily-note.ts'),
      sessions.find(template)?.text() ??
        client.readNote({ vaultId: vault.id, path: template }).then((note) => note.content),
    ])
    return fromTemplate(text, { title: titleOf(path), now: systemClock.now() })
  }
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if ('problem' in checked) return
    setBusy(true)
    try {
      await client.createNote({ vaultId: vault.id, path: checked.path }, await firstText(checked.path))
      refreshTree()
      onClose()
      setMode('source')
      open(checked.path)
    } catch (thrown) {
      setRefusal(asRefusal(thrown))
      setBusy(false)
    }
  }

  return (
    <Modal label="New note" onClose={onClose}>
      <form onSubmit={(event) => void create(event)}>
        <h2>
          {template === undefined ? 'New note' : `New note from “${template.split('/').at(-1)!.replace(/\.md$/i, '')}”`}
        </h2>
        <label className="field">
          Name, with its folder if it has one
          <input
            value={typed}
            autoComplete="off"
            spellCheck={false}
            placeholder="Folder/Name"
            onChange={(event) => {
              setTyped(event.target.value)
              setRefusal(undefined)
            }}
          />
          <span className="hint">{'path' in checked ? `Saved as ${checked.path}` : checked.problem}</span>
        </label>
        <FormEnd
          submit="Create note"
          disabled={busy || 'problem' in checked}
          onCancel={onClose}
          refusal={
            refusal && (
              <>
                {refusal.code === 'note_exists' ? 'A note with this name exists already.' : failureText(refusal).title}{' '}
                {refusal.code === 'invalid_request' && problemOf(refusal)}
                {refusal.code === 'note_exists' && 'path' in checked && (
                  <button
                    type="button"
                    className="link-button"
                    onClick={() => {
                      onClose()
                      open(checked.path)
                    }}
                  >
                    Open it
                  </button>
                )}
              </>
            )
          }
        />
      </form>
    </Modal>
  )
}

function problemOf({ details }: Refusal): string {
  const [problem] = Array.isArray(details) ? (details as { message?: string }[]) : []
  return problem?.message === undefined ? '' : `The name ${problem.message}.`
}
