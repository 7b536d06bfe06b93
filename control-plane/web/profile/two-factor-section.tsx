import { useState } from 'react'
import { useSession, useSettings } from '../app/session.tsx'
import { Button } from '../controls/button.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { Badge } from '../controls/status.tsx'
import { EnrolDialogs } from './enrol-dialogs.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
import { secondFactorApi } from './second-factor-api.ts'

type Open = { dialog: 'enrol' | 'off' | 'ask-codes' } | { dialog: 'codes'; codes: string[] }

/** Two-factor sign-in: on or off, and the recovery codes. */
export function TwoFactorSection() {
  const { profile, signIn } = useSettings()
  const { refresh } = useSession()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const leave = (from: Open['dialog']) => () => setOpen((now) => (now?.dialog === from ? undefined : now))

  return (
    <Section
      title="Two-factor sign-in"
      note={
        <>
          <Badge tone={signIn.twoFactor ? 'accent' : 'plain'}>{signIn.twoFactor ? 'On' : 'Off'}</Badge>{' '}
          {signIn.twoFactor
            ? 'Sign-in asks for a code of your authenticator app. A passkey needs none.'
            : 'Sign-in then asks for a code that an app on your phone shows, whichever way you sign in.'}
        </>
      }
      action={
        !signIn.twoFactor && (
          <Button disabled={!profile.emailVerified} onClick={() => setOpen({ dialog: 'enrol' })}>
            Turn on
          </Button>
        )
      }
    >
      {signIn.twoFactor && (
        <>
          <RecoveryCodesLeft count={signIn.recoveryCodesLeft ?? 0} />
          <div className="button-row">
            <Button onClick={() => setOpen({ dialog: 'ask-codes' })}>New recovery codes</Button>
            <Button look="danger" onClick={() => setOpen({ dialog: 'off' })}>
              Turn off
            </Button>
          </div>
        </>
      )}
      {open?.dialog === 'enrol' && <EnrolDialogs onClose={close} />}
      {open?.dialog === 'ask-codes' && (
        <ProofDialog
          title="New recovery codes"
          confirm="Make new codes"
          onProven={async (proof) => {
            const { backupCodes } = await secondFactorApi.makeRecoveryCodes(proof)
            setOpen({ dialog: 'codes', codes: backupCodes })
            await refresh()
          }}
          onClose={leave('ask-codes')}
        >
          <p>The codes that you have now stop working.</p>
        </ProofDialog>
      )}
      {open?.dialog === 'codes' && <RecoveryCodesDialog codes={open.codes} onClose={close} />}
      {open?.dialog === 'off' && (
        <ProofDialog
          title="Turn two-factor sign-in off?"
          confirm="Turn off"
          look="danger"
          onProven={async (proof) => {
            await secondFactorApi.turnOff(proof)
            await refresh()
          }}
          onClose={close}
        >
          <p>Your password or a mailed link is then enough to sign in. You are signed out everywhere else.</p>
        </ProofDialog>
      )}
    </Section>
  )
}

const FEW = 3

function RecoveryCodesLeft({ count }: { count: number }) {
  if (count > FEW)
    return <p className="fine">{count} recovery codes are left. Each works once, in place of your phone.</p>
  return (
    <Notice
      tone="warning"
      title={
        count === 0
          ? 'No recovery code is left'
          : count === 1
            ? 'One recovery code is left'
            : `${count} recovery codes are left`
      }
    >
      <p>Make new ones. Without a code and without your phone you cannot sign in.</p>
    </Notice>
  )
}
