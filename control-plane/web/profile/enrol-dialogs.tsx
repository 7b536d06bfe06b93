import { useRef, useState } from 'react'
import { explainFresh } from '../account/fresh-sign-in.tsx'
import { useSession } from '../app/session.tsx'
import { CopyBlock } from '../controls/copy.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { QrCode } from './qr-code.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
import { secondFactorApi, type Enrolment } from './second-factor-api.ts'

type Step = { step: 'prove' } | ({ step: 'scan' } & Enrolment) | { step: 'keep'; codes: string[] }

/** Turns two-factor sign-in on: first the password, then the app and its first code, then the recovery codes. */
export function EnrolDialogs({ onClose }: { onClose: () => void }) {
  const { refresh } = useSession()
  const [now, setNow] = useState<Step>({ step: 'prove' })
  const [code, setCode] = useState('')
  // A dialog calls `onClose` when it is done. If the next step has already replaced it, this must not close anything.
  const left = useRef<Step['step']>(undefined)
  const leave = (step: Step['step']) => () => (left.current === step ? undefined : onClose())

  if (now.step === 'prove')
    return (
      <ProofDialog
        title="Turn on two-factor sign-in"
        confirm="Go on"
        onProven={async (proof) => {
          const enrolment = await secondFactorApi.begin(proof)
          left.current = 'prove'
          setNow({ step: 'scan', ...enrolment })
        }}
        onClose={leave('prove')}
      >
        <p>You need an authenticator app on your phone, such as one that keeps your passwords.</p>
      </ProofDialog>
    )
  if (now.step === 'keep') return <RecoveryCodesDialog codes={now.codes} onClose={() => void refresh().then(onClose)} />

  const secret = new URL(now.totpURI).searchParams.get('secret') ?? ''
  return (
    <ConfirmDialog
      key="scan"
      title="Add svc to your app"
      confirm="Turn on"
      ready={/^\d{6}$/.test(code.replace(/\s/g, ''))}
      onConfirm={async () => {
        await secondFactorApi.confirm(code)
        left.current = 'scan'
        setNow({ step: 'keep', codes: now.backupCodes })
      }}
      onClose={leave('scan')}
      explainFailure={explainFresh}
    >
      <p>Scan this with the app, or type the key into it.</p>
      <QrCode text={now.totpURI} label="QR code for the authenticator app" />
      <CopyBlock label="Key for the app" text={secret.replace(/(.{4})(?=.)/g, '$1 ')} />
      <TextField
        label="Code"
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={9}
        hint="Six digits that the app shows now. They prove that it works, before sign-in asks for them."
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
    </ConfirmDialog>
  )
}
