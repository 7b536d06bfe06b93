import { useState } from 'react'
import type { IssuedKey } from '../answers.ts'
import { useHoldPage } from '../app/hold-page.ts'
import { Button } from '../controls/button.tsx'
import { CopyBlock } from '../controls/copy.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { Time } from '../controls/time.tsx'
import { StartDaemon } from './start-daemon.tsx'

type Props = { issued: Pick<IssuedKey, 'apiKey' | 'relayUrl'> & Partial<Pick<IssuedKey, 'oldKeyWorksUntil'>> }

/**
 * A daemon key in plain text, which is shown only this once, with the ways to use it. Leaving the page needs a
 * confirmation until the person has said that the key is stored.
 */
export function KeyReveal({ issued: { apiKey, relayUrl, oldKeyWorksUntil } }: Props) {
  const [kept, setKept] = useState(false)
  const { leaving, stay, leave } = useHoldPage(!kept)

  return (
    <Section title="Your new connection key">
      {kept ? (
        <Notice tone="good">
          <p>You have kept the key. It is no longer shown; if it is lost, rotate it to get another one.</p>
        </Notice>
      ) : (
        <>
          <Notice tone="warning" title="Shown this once">
            <p>Copy the key now and keep it like a password. If it is lost, rotate it to get another one.</p>
          </Notice>
          <CopyBlock label="Connection key" text={apiKey} />
          <div className="button-row">
            <Button onClick={() => setKept(true)}>I have kept the key</Button>
          </div>
        </>
      )}
      {oldKeyWorksUntil && (
        <p>
          The old key works until <Time at={oldKeyWorksUntil} />, or until the host connects with the new one.
        </p>
      )}
      <StartDaemon relayUrl={relayUrl} />
      {leaving && (
        <ConfirmDialog
          title="Leave without the key?"
          confirm="Leave"
          look="danger"
          onConfirm={async () => leave()}
          onClose={stay}
        >
          <p>The key is shown this once and not stored. If you have not kept it, the host cannot be started with it.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
