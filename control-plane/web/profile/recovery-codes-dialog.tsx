import { useState } from 'react'
import { CopyBlock } from '../controls/copy.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { Notice } from '../controls/notice.tsx'

type Props = { codes: string[]; onClose: () => void }

/**
 * Recovery codes, which are shown only this once. The dialog can be closed after the person has said that they are
 * stored.
 */
export function RecoveryCodesDialog({ codes, onClose }: Props) {
  const [kept, setKept] = useState(false)
  const text = codes.join('\n')
  return (
    <ConfirmDialog
      title="Your recovery codes"
      confirm="Done"
      ready={kept}
      closable={kept}
      onConfirm={async () => {}}
      onClose={onClose}
    >
      <Notice tone="warning" title="Shown this once">
        <p>Each of them signs you in once when your phone is not there. Keep them like a password.</p>
      </Notice>
      <CopyBlock label="Recovery codes" text={text} />
      <p>
        <a download="svc-recovery-codes.txt" href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}>
          Download as a text file
        </a>
      </p>
      <label className="check">
        <input type="checkbox" checked={kept} onChange={(event) => setKept(event.target.checked)} />
        <span>I have kept the codes</span>
      </label>
    </ConfirmDialog>
  )
}
