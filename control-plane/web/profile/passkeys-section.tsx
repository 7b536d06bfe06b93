import { useState } from 'react'
import { explainFresh } from '../account/fresh-sign-in.tsx'
import { canUsePasskeys, passkeys, type PasskeyView } from '../account/passkeys.ts'
import { useSettings } from '../app/session.tsx'
import { Button } from '../controls/button.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Section } from '../controls/section.tsx'
import { Time } from '../controls/time.tsx'
import { useLiveQuery } from '../live/live-query.ts'
import { browserName } from './browser-name.ts'

type Open = { dialog: 'add' } | { dialog: 'rename' | 'remove'; passkey: PasskeyView }
const nameOf = ({ name }: PasskeyView) => name ?? 'Passkey'

/** The passkeys of the account: add, name, remove. */
export function PasskeysSection() {
  const { profile } = useSettings()
  const known = useLiveQuery({ queryKey: ['passkeys'], queryFn: passkeys.list, every: () => 2000 })
  const [open, setOpen] = useState<Open>()
  const [name, setName] = useState('')
  const show = (next: Open, initial: string) => {
    setName(initial)
    setOpen(next)
  }
  const dialog = { onClose: () => setOpen(undefined), explainFailure: explainFresh }
  const nameField = (
    <TextField
      label="Name"
      maxLength={100}
      required
      hint="So that you recognize it in this list."
      value={name}
      onChange={(event) => setName(event.target.value)}
    />
  )

  return (
    <Section
      title="Passkeys"
      note={
        canUsePasskeys()
          ? 'Sign in with the lock of your device or a security key, without password and code.'
          : 'This browser cannot use passkeys here. They need https, or localhost.'
      }
      action={
        canUsePasskeys() && (
          <Button
            disabled={!profile.emailVerified}
            onClick={() => show({ dialog: 'add' }, browserName(navigator.userAgent))}
          >
            Add a passkey
          </Button>
        )
      }
    >
      <Loaded query={known} what="passkeys">
        {(list) =>
          list.length > 0 && (
            <ul className="rows">
              {list.map((passkey) => (
                <li className="row" key={passkey.id}>
                  <div className="row-line">
                    <div className="row-who">
                      <span>{nameOf(passkey)}</span>
                      <small>
                        {passkey.createdAt !== null && (
                          <>
                            Added <Time at={passkey.createdAt} />
                          </>
                        )}
                        {passkey.backedUp && ' · Kept by your password manager'}
                      </small>
                    </div>
                    <div className="button-row">
                      <Button
                        size="small"
                        aria-label={`Rename ${nameOf(passkey)}`}
                        onClick={() => show({ dialog: 'rename', passkey }, nameOf(passkey))}
                      >
                        Rename
                      </Button>
                      <Button
                        size="small"
                        aria-label={`Remove ${nameOf(passkey)}`}
                        onClick={() => show({ dialog: 'remove', passkey }, '')}
                      >
                        Remove
                      </Button>
                    </div>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {open?.dialog === 'add' && (
        <ConfirmDialog
          {...dialog}
          title="Add a passkey"
          confirm="Add"
          ready={name.trim() !== ''}
          onConfirm={() => passkeys.add(name.trim()).then(() => known.refetch())}
        >
          <p>Your browser asks which device or security key to use.</p>
          {nameField}
        </ConfirmDialog>
      )}
      {open?.dialog === 'rename' && (
        <ConfirmDialog
          {...dialog}
          title="Rename the passkey"
          confirm="Rename"
          ready={name.trim() !== ''}
          onConfirm={() => passkeys.rename(open.passkey.id, name.trim()).then(() => known.refetch())}
        >
          {nameField}
        </ConfirmDialog>
      )}
      {open?.dialog === 'remove' && (
        <ConfirmDialog
          {...dialog}
          title={`Remove ${nameOf(open.passkey)}?`}
          confirm="Remove"
          look="danger"
          onConfirm={() => passkeys.remove(open.passkey.id).then(() => known.refetch())}
        >
          <p>It signs in no more. Delete it on your device too, so that it is not offered there.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
