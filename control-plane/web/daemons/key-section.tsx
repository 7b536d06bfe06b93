import { useState } from 'react'
import type { IssuedKey, MaskedKey } from '../answers.ts'
import { api } from '../api.ts'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { Facts } from '../controls/facts.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { Time } from '../controls/time.tsx'
import { useLiveQuery } from '../live/live-query.ts'
import { KeyReveal } from './key-reveal.tsx'
import { RotateDialog } from './rotate-dialog.tsx'

/** The key of a self-hosted daemon. It is masked and can be rotated; only a new key is shown in plain text. */
export function KeySection({ orgId }: { orgId: string }) {
  const masked = useLiveQuery({
    queryKey: ['daemon-key', orgId],
    queryFn: () => api.readDaemonKey(orgId),
    every: () => 2000,
  })
  const [issued, setIssued] = useState<IssuedKey>()
  const [rotating, setRotating] = useState<'grace' | 'immediate'>()
  const { pending, failure, submit } = useSubmit()

  const show = (key: IssuedKey) => {
    setIssued(key)
    void masked.refetch()
  }

  return (
    <>
      <Section
        title="Connection key"
        note="The host shows this key when it connects. Only a fingerprint of it is kept here."
      >
        <Loaded query={masked} what="the key">
          {({ key, relayUrl }) => (
            <>
              <KeyFacts held={key} relayUrl={relayUrl} />
              {key === null ? (
                <div className="button-row">
                  <Button
                    look="primary"
                    pending={pending}
                    onClick={() => void submit(async () => show(await api.issueDaemonKey(orgId)))}
                  >
                    Issue connection key
                  </Button>
                </div>
              ) : (
                <div className="button-row">
                  <Button onClick={() => setRotating('grace')}>Rotate key</Button>
                  <Button look="danger" onClick={() => setRotating('immediate')}>
                    Rotate at once
                  </Button>
                </div>
              )}
              <FailureNotice failure={failure} />
            </>
          )}
        </Loaded>
        {rotating !== undefined && (
          <RotateDialog
            kind={rotating}
            rotate={async () => show(await api.rotateDaemonKey(orgId, { immediate: rotating === 'immediate' }))}
            onClose={() => setRotating(undefined)}
          />
        )}
      </Section>
      {issued !== undefined && <KeyReveal key={issued.apiKey} issued={issued} />}
    </>
  )
}

function KeyFacts({ held, relayUrl }: { held: MaskedKey['key']; relayUrl: string }) {
  return (
    <Facts
      facts={[
        ['Connects to', <code key="url">{relayUrl}</code>],
        ['Key', held === null ? 'None yet' : <code key="key">{held.apiKey}</code>],
        ['Host', held && <code key="host">{held.daemonId}</code>],
        ['Issued', held && <Time key="issued" at={held.createdAt} />],
        ['Last used', held && (held.lastUsedAt === null ? 'Never' : <Time key="used" at={held.lastUsedAt} />)],
      ]}
    />
  )
}
