import { ConfirmDialog } from '../controls/dialog.tsx'
import { Notice } from '../controls/notice.tsx'

type Props = { kind: 'grace' | 'immediate'; rotate: () => Promise<void>; onClose: () => void }

/** Asks before a rotation. For an immediate rotation it says which connections end. */
export function RotateDialog({ kind, rotate, onClose }: Props) {
  const immediate = kind === 'immediate'
  return (
    <ConfirmDialog
      title={immediate ? 'Rotate the key at once?' : 'Rotate the key?'}
      confirm={immediate ? 'Rotate at once' : 'Rotate key'}
      look={immediate ? 'danger' : 'primary'}
      onConfirm={rotate}
      onClose={onClose}
    >
      {immediate ? (
        <>
          <Notice tone="warning" title="The host is cut off now">
            <p>
              Its connection closes and everybody in its vaults is thrown out, until it is started with the new key.
            </p>
          </Notice>
          <p>Use this when the old key may be in wrong hands.</p>
        </>
      ) : (
        <p>
          You get a new key. The old one keeps working until the host connects with the new one, ten minutes at most, so
          nobody is interrupted when you restart it in time.
        </p>
      )}
    </ConfirmDialog>
  )
}
